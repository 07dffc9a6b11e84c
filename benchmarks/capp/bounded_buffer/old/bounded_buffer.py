"""BoundedBuffer: producers and consumers wait on the same monitor.

A change wakes all of them, and each looks for itself whether it can go on.
"""

import threading


class BoundedBuffer:
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
            position = self.in_
            self.buf[position] = item
            self.in_ = (position + 1) % self.size
            self.count = self.count + 1
            self.changed.notify_all()

    def get(self) -> int | None:
        """Take the oldest item, as soon as there is one."""
        with self.changed:
            while self.count == 0:
                self.changed.wait()
            position = self.out
            item = self.buf[position]
            self.buf[position] = None
            self.out = (position + 1) % self.size
            self.count = self.count - 1
            self.changed.notify_all()
            return item
