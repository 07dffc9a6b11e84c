"""A latch that opens after a number of events."""

import threading


class Latch:
    """`wait` returns as soon as `count_down` was called often enough."""

    def __init__(self, count: int = 1) -> None:
        self._changed = threading.Condition()
        self._count = max(0, count)

    def count_down(self) -> int:
        """One event; returns how many are missing."""
        with self._changed:
            if self._count > 0:
                self._count -= 1
            if self._count == 0:
                self._changed.notify_all()
            return self._count

    def open(self) -> None:
        """Open it, whatever is missing."""
        with self._changed:
            self._count = 0
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until it is open."""
        with self._changed:
            while self._count > 0:
                self._changed.wait()

    def missing(self) -> int:
        """How many events are missing."""
        with self._changed:
            return self._count
