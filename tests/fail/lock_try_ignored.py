"""An attempt to take a lock whose failure nobody looks at."""

import threading

OUTCOME = "wrong-result"


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0

    def increment(self):
        got = self.lock.acquire(blocking=False)
        value = self.n
        self.n = value + 1
        if got:
            self.lock.release()


setup = Counter
threads = [Counter.increment, Counter.increment]


def check(counter):
    assert counter.n == 2
