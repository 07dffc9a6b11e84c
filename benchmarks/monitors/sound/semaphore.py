"""A counting semaphore with permits that can be taken and given several at a time."""

import threading


class CountingSemaphore:
    """Hands out ``permits``; who asks for more than there are waits."""

    def __init__(self, permits: int = 1) -> None:
        if permits < 0:
            raise ValueError("permits must not be negative")
        self._permits = permits
        self._condition = threading.Condition()

    def acquire(self, permits: int = 1) -> None:
        """Take permits; wait until there are enough."""
        if permits < 1:
            raise ValueError("permits must be positive")
        with self._condition:
            while self._permits < permits:
                self._condition.wait()
            self._permits -= permits

    def try_acquire(self, permits: int = 1) -> bool:
        """Take permits if there are enough; return whether there were."""
        if permits < 1:
            raise ValueError("permits must be positive")
        with self._condition:
            if self._permits < permits:
                return False
            self._permits -= permits
            return True

    def release(self, permits: int = 1) -> None:
        """Give permits back."""
        if permits < 1:
            raise ValueError("permits must be positive")
        with self._condition:
            self._permits += permits
            self._condition.notify_all()

    @property
    def available(self) -> int:
        with self._condition:
            return self._permits
