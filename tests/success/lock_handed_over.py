"""A lock released by another thread than the one that took it: a signal."""

import threading


class Box:
    def __init__(self):
        self.full = threading.Lock()
        self.full.acquire()
        self.value = None

    def put(self):
        self.value = 42
        self.full.release()

    def take(self):
        self.full.acquire()
        assert self.value == 42


setup = Box
threads = [Box.put, Box.take]
