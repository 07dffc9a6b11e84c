"""Numbers that are given out once."""

from __future__ import annotations

import threading


class IdGenerator:
    """Takes them in blocks; what was given back is given out again first."""

    def __init__(self, block: int = 2) -> None:
        self._lock = threading.RLock()
        self._block = max(1, block)
        self._next = 0
        self._end = 0
        self._free: list[int] = []

    def _refill(self) -> None:
        with self._lock:
            self._next = self._end
            self._end += self._block

    def new(self) -> int:
        """A number that nobody has."""
        with self._lock:
            if self._free:
                return self._free.pop()
            if self._next == self._end:
                self._refill()
            number = self._next
            self._next += 1
            return number

    def give_back(self, number: int) -> None:
        """Nobody needs the number any more; ValueError if nobody had it."""
        with self._lock:
            if number in self._free or not 0 <= number < self._next:
                raise ValueError("not given out")
            self._free.append(number)

    def reserve(self, count: int) -> list[int]:
        """Several numbers at once."""
        with self._lock:
            return [self.new() for _ in range(max(0, min(count, 3)))]
