"""A latch that opens when it has been counted down to zero."""

import threading


class CountDownLatch:
    """Lets threads wait until ``count`` events have happened; it never closes again."""

    def __init__(self, count: int = 1) -> None:
        if count < 0:
            raise ValueError("count must not be negative")
        self._count = count
        self._condition = threading.Condition()

    def count_down(self) -> None:
        """Count one event; the last one opens the latch."""
        with self._condition:
            if self._count > 0:
                self._count -= 1
                if self._count == 0:
                    self._condition.notify_all()

    def wait(self, timeout=None) -> bool:
        """Wait until the latch is open; return False if the time is up before."""
        with self._condition:
            return self._condition.wait_for(lambda: self._count == 0, timeout)

    @property
    def count(self) -> int:
        with self._condition:
            return self._count
