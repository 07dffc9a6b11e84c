"""A semaphore with two permits excludes nobody here."""

import threading

OUTCOME = "wrong-result"


class Counter:
    def __init__(self):
        self.permits = threading.Semaphore(2)
        self.n = 0

    def increment(self):
        with self.permits:
            self.n += 1


setup = Counter
threads = [Counter.increment, Counter.increment]


def check(counter):
    assert counter.n == 2
