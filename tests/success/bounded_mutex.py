"""One permit excludes."""

import threading


class Counter:
    def __init__(self):
        self.permit = threading.BoundedSemaphore()
        self.n = 0

    def increment(self):
        with self.permit:
            self.n += 1


setup = Counter
threads = [Counter.increment, Counter.increment]


def check(counter):
    assert counter.n == 2
