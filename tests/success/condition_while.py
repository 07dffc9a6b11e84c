"""A bounded buffer that tests its condition in a loop."""

import threading


class Buffer:
    def __init__(self):
        self.changed = threading.Condition()
        self.items = []

    def put(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify()

    def get(self):
        with self.changed:
            while not self.items:
                self.changed.wait()
            return self.items.pop()


setup = Buffer
threads = [Buffer.get, Buffer.get, lambda buffer: buffer.put(1), lambda buffer: buffer.put(2)]


def check(buffer):
    assert buffer.items == []
