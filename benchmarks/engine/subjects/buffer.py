"""A bounded buffer that tests its conditions with ``if`` where ``while`` is needed."""

import threading


class Buffer:
    """Holds up to ``capacity`` items."""

    def __init__(self, capacity: int) -> None:
        self._changed = threading.Condition()
        self._capacity = capacity
        self._items = []

    def put(self, item: int) -> None:
        """Add an item, waiting for space."""
        with self._changed:
            if len(self._items) == self._capacity:
                self._changed.wait()
            self._items.append(item)
            self._changed.notify()

    def take(self) -> int:
        """Remove an item, waiting for one."""
        with self._changed:
            if not self._items:
                self._changed.wait()
            self._changed.notify()
            return self._items.pop()


class Program:
    """A producer of two items and two consumers of one each."""

    def __init__(self) -> None:
        self.buffer = Buffer(1)
        self.bodies = [self.buffer.take, self.buffer.take, self.produce]

    def produce(self) -> None:
        """Put two items."""
        self.buffer.put(1)
        self.buffer.put(2)

    def holds(self) -> bool:
        """Whoever finishes without an exception has done nothing wrong."""
        return True
