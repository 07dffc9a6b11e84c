"""A semaphore as a counter of items: every item is taken once."""

import threading


class Box:
    def __init__(self):
        self.items = threading.Semaphore(0)

    def put(self):
        self.items.release(2)

    def take(self):
        self.items.acquire()


setup = Box
threads = [Box.take, Box.put, Box.take]


def check(box):
    assert box.items._value == 0
