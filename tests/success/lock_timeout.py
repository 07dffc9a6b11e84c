"""A lock that is always given back in time."""

import threading


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0

    def increment(self):
        assert self.lock.acquire(timeout=5)
        self.n += 1
        self.lock.release()


setup = Counter
threads = [Counter.increment, Counter.increment]


def check(counter):
    assert counter.n == 2
