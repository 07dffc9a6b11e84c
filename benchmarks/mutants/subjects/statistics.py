"""Running mean and maximum of a series of measurements."""

from __future__ import annotations

import threading


class Statistics:
    """Collects numbers; what it reports always belongs together."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._count = 0
        self._total = 0
        self._largest: int | None = None

    def add(self, number: int) -> None:
        """Take a measurement into account."""
        with self._lock:
            self._count += 1
            self._total += number
            if self._largest is None or number > self._largest:
                self._largest = number

    def add_pair(self, first: int, second: int) -> None:
        """Take two measurements into account, both or none."""
        with self._lock:
            self.add(first)
            self.add(second)

    def mean(self) -> float:
        """The mean; ZeroDivisionError without measurements."""
        with self._lock:
            return self._total / self._count

    def summary(self) -> tuple[int, int, int | None]:
        """Count, total and maximum."""
        with self._lock:
            count = self._count
            total = self._total
            return count, total, self._largest

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._count = 0
            self._total = 0
            self._largest = None
