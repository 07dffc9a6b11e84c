"""A lock imported by name."""

from threading import Lock


class Counter:
    def __init__(self):
        self.lock = Lock()
        self.n = 0

    def increment(self):
        with self.lock:
            self.n += 1


setup = Counter
threads = [Counter.increment, Counter.increment]


def check(counter):
    assert counter.n == 2
