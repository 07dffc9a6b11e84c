"""A counter that holds a lock around each increment."""

import threading
from functools import partial


class Counter:
    """Counts correctly."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.value = 0

    def increment(self, times: int) -> None:
        """Add one, ``times`` times."""
        for _ in range(times):
            with self._lock:
                self.value += 1


class Program:
    """Threads that each add one, ``times`` times."""

    def __init__(self, threads: int, times: int) -> None:
        self.counter = Counter()
        self.bodies = [partial(self.counter.increment, times)] * threads
        self.expected = threads * times

    def holds(self) -> bool:
        """No count is lost."""
        return self.counter.value == self.expected
