"""A bucket of tokens that somebody refills at a steady pace."""

import threading


class TokenBucket:
    """Lets as many calls through as there are tokens; the rest waits for the next refill."""

    def __init__(self, capacity: int = 2) -> None:
        if capacity < 1:
            raise ValueError("capacity must be positive")
        self._capacity = capacity
        self._tokens = capacity
        self._lock = threading.Lock()
        self._refilled = threading.Condition(self._lock)

    def acquire(self, tokens: int = 1) -> None:
        """Take tokens; wait for refills until there are enough."""
        self._check(tokens)
        with self._refilled:
            while self._tokens < tokens:
                self._refilled.wait()
            self._tokens -= tokens

    def acquire_within(self, timeout: float, tokens: int = 1) -> bool:
        """Take tokens; return False if there were not enough in time."""
        self._check(tokens)
        with self._refilled:
            if not self._refilled.wait_for(lambda: self._tokens >= tokens, timeout):
                return False
            self._tokens -= tokens
            return True

    def refill(self, tokens: int = 1) -> int:
        """Add tokens up to the capacity; return how many there are."""
        self._check(tokens)
        with self._refilled:
            self._tokens = min(self._capacity, self._tokens + tokens)
            self._refilled.notify_all()
            return self._tokens

    def _check(self, tokens: int) -> None:
        if not 1 <= tokens <= self._capacity:
            raise ValueError(f"between 1 and {self._capacity} tokens")
