"""A counter with an upper limit."""

import threading


class Counter:
    """Counts up and down between 0 and ``limit``."""

    def __init__(self, limit: int = 3) -> None:
        self._lock = threading.Lock()
        self._limit = limit
        self._value = 0

    def increment(self) -> int:
        """Add one and return the new value; ValueError at the limit."""
        with self._lock:
            if self._value >= self._limit:
                raise ValueError("the limit is reached")
            self._value += 1
            return self._value

    def decrement(self) -> int:
        """Take one away and return the new value; ValueError at 0."""
        with self._lock:
            if self._value == 0:
                raise ValueError("there is nothing left")
            self._value -= 1
            return self._value

    def reset(self) -> int:
        """Begin at 0 again; returns what was counted."""
        with self._lock:
            counted = self._value
            self._value = 0
            return counted

    def value(self) -> int:
        """What is counted now."""
        with self._lock:
            return self._value
