"""Counting in a local counts nothing for anybody else."""

import threading

OUTCOME = "wrong-result"


class Counter:
    def __init__(self):
        self.local = threading.local()
        self.local.n = 0

    def increment(self):
        self.local.n = getattr(self.local, "n", 0) + 1


setup = Counter
threads = [Counter.increment, Counter.increment]


def check(counter):
    assert counter.local.n == 2
