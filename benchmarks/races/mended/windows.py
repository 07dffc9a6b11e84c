"""A context manager that several threads share: it keeps the moments of the last calls under a lock."""

import collections
import threading
import time


class RateLimiter:
    def __init__(self, max_calls: int = 2, period: float = 1.0):
        self.max_calls = max_calls
        self.period = period
        self._calls = collections.deque()
        self._lock = threading.Lock()

    def __enter__(self):
        with self._lock:
            if len(self._calls) >= self.max_calls:
                self._calls.clear()
        return self

    def __exit__(self, *error):
        with self._lock:
            self._calls.append(time.monotonic())
            while self._calls[-1] - self._calls[0] >= self.period:
                self._calls.popleft()
