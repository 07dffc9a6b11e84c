"""A semaphore with one permit excludes."""

import threading


class Counter:
    def __init__(self):
        self.permit = threading.Semaphore(1)
        self.n = 0

    def increment(self):
        with self.permit:
            self.n += 1


setup = Counter
threads = [Counter.increment] * 3


def check(counter):
    assert counter.n == 3
