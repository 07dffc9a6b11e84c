"""Allows a number of calls per window; the caller says what time it is."""

from __future__ import annotations

import threading


class RateLimiter:
    """At most ``limit`` calls in ``window`` ticks."""

    def __init__(self, limit: int = 1, window: int = 10) -> None:
        self._lock = threading.Lock()
        self._limit = max(1, limit)
        self._window = max(1, window)
        self._start = 0
        self._used = 0

    def allow(self, now: int) -> bool:
        """Whether a call may be made; it counts if it may."""
        with self._lock:
            if now - self._start >= self._window:
                self._start = now
                self._used = 0
            if self._used >= self._limit:
                return False
            self._used += 1
            return True

    def left(self) -> int:
        """How many calls the window still allows."""
        with self._lock:
            return self._limit - self._used

    def refund(self) -> None:
        """A call was not made after all; ValueError if none was allowed."""
        with self._lock:
            if self._used == 0:
                raise ValueError("nothing to give back")
            self._used -= 1
