"""A counter under a lock."""

import threading


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0

    def increment(self):
        with self.lock:
            self.n += 1


setup = Counter
threads = [Counter.increment] * 3


def check(counter):
    assert counter.n == 3
