"""Two threads find the same last time, and both go on."""

import time

OUTCOME = "wrong-result"


class Limiter:
    def __init__(self):
        self.last = -1e9
        self.passed = []

    def allow(self):
        now = time.time()
        if now - self.last > 60:
            self.last = now
            self.passed.append(now)


setup = Limiter
threads = [Limiter.allow, Limiter.allow]


def check(limiter):
    assert len(limiter.passed) == 1
