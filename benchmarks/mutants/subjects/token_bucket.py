"""A bucket of tokens: takers wait until there are enough."""

from __future__ import annotations

import threading


class TokenBucket:
    """Holds up to ``capacity`` tokens."""

    def __init__(self, capacity: int = 2) -> None:
        self._filled = threading.Condition()
        self._capacity = max(1, capacity)
        self._tokens = 0

    def fill(self, tokens: int) -> int:
        """Add tokens, as many as fit; returns how many there are."""
        with self._filled:
            self._tokens = min(self._capacity, self._tokens + max(0, tokens))
            self._filled.notify_all()
            return self._tokens

    def take(self, tokens: int = 1) -> int:
        """Take tokens as soon as there are enough; ValueError for more than fit. Returns how many are left."""
        with self._filled:
            if not 0 < tokens <= self._capacity:
                raise ValueError("never so many")
            while self._tokens < tokens:
                self._filled.wait()
            self._tokens -= tokens
            return self._tokens

    def try_take(self, tokens: int = 1) -> bool:
        """Take tokens if there are enough."""
        with self._filled:
            if self._tokens < tokens:
                return False
            self._tokens -= tokens
            return True
