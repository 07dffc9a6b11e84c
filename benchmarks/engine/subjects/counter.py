"""A counter whose increment reads and writes without a lock."""

from functools import partial


class Counter:
    """Counts, and loses counts when two threads read the same value."""

    def __init__(self) -> None:
        self.value = 0

    def increment(self, times: int) -> None:
        """Add one, ``times`` times."""
        for _ in range(times):
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
