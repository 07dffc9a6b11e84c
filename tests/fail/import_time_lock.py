"""A lock made at import time, forgotten in one of two places."""

import threading

OUTCOME = "wrong-result"
LOCK = threading.Lock()


class Counter:
    def __init__(self):
        self.n = 0

    def add(self):
        with LOCK:
            self.n += 1

    def add_fast(self):
        self.n += 1


setup = Counter
threads = [Counter.add, Counter.add_fast]


def check(counter):
    assert counter.n == 2
