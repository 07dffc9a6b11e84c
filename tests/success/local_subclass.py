"""A subclass is initialised anew in every thread that uses it."""

import threading


class Buffer(threading.local):
    kind = "list"

    def __init__(self, first):
        self.items = [first]


def setup():
    return Buffer(0)


def use(buffer):
    assert buffer.items == [0]
    assert buffer.kind == "list"
    buffer.items.append(1)
    assert buffer.items == [0, 1]


threads = [use, use]


def check(buffer):
    assert buffer.items == [0]
