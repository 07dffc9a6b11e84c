"""BoundedBuffer: producers and consumers wait on the same monitor.

A change wakes one waiting thread only: when that one waits for the same thing as the thread that made the change,
nobody who could go on is woken.

As in the original: producers and consumers are classes that count down in a field of their own what is left to do, and
the program starts all producers and then all consumers.
"""

import threading


class BufferImpl:
    """A ring of slots."""

    def __init__(self, size: int) -> None:
        self.changed = threading.Condition()
        self.size = size
        self.buf: list[int | None] = [None] * size
        self.in_ = 0
        self.out = 0
        self.count = 0

    def put(self, item: int) -> None:
        """Store an item, as soon as there is room."""
        with self.changed:
            while self.count == self.size:
                self.changed.wait()
            self.buf[self.in_] = item
            self.count = self.count + 1
            self.in_ = (self.in_ + 1) % self.size
            self.changed.notify()

    def get(self) -> int:
        """Take the oldest item, as soon as there is one."""
        with self.changed:
            while self.count == 0:
                self.changed.wait()
            item = self.buf[self.out]
            self.buf[self.out] = None
            self.count = self.count - 1
            self.out = (self.out + 1) % self.size
            self.changed.notify()
            return item


class Producer:
    """Puts numbers into a buffer, down to 1."""

    def __init__(self, buffer: BufferImpl, put_count: int) -> None:
        self.buffer = buffer
        self.put_count = put_count

    def run(self) -> None:
        """What one producer does."""
        while self.put_count > 0:
            self.buffer.put(self.put_count)
            self.put_count = self.put_count - 1


class Consumer:
    """Takes numbers from a buffer."""

    def __init__(self, buffer: BufferImpl, get_count: int) -> None:
        self.buffer = buffer
        self.get_count = get_count

    def run(self) -> None:
        """What one consumer does."""
        while self.get_count > 0:
            self.buffer.get()
            self.get_count = self.get_count - 1
