"""Looked at twice, the second time under the lock."""

import threading


class Lazy:
    def __init__(self):
        self.lock = threading.Lock()
        self.value = None
        self.made = 0

    def get(self):
        if self.value is None:
            with self.lock:
                if self.value is None:
                    self.made += 1
                    self.value = object()
        return self.value


setup = Lazy
threads = [Lazy.get, Lazy.get]


def check(lazy):
    assert lazy.made == 1
