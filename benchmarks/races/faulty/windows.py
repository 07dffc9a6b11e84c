"""A context manager that several threads share: it keeps the moments of the last calls, and looks at both ends."""

import collections
import time


class RateLimiter:
    def __init__(self, max_calls: int = 2, period: float = 1.0):
        self.max_calls = max_calls
        self.period = period
        self.calls = collections.deque()

    def __enter__(self):
        if len(self.calls) >= self.max_calls:
            self.calls.clear()
        return self

    def __exit__(self, *error):
        self.calls.append(time.monotonic())
        while self._timespan >= self.period:
            self.calls.popleft()

    @property
    def _timespan(self) -> float:
        return self.calls[-1] - self.calls[0]
