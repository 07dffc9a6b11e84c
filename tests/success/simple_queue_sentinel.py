"""A consumer that stops at a sentinel."""

import queue


class Pipe:
    def __init__(self):
        self.items = queue.SimpleQueue()
        self.seen = []

    def produce(self):
        self.items.put(1)
        self.items.put(None)

    def consume(self):
        while (item := self.items.get()) is not None:
            self.seen.append(item)


setup = Pipe
threads = [Pipe.produce, Pipe.consume]


def check(pipe):
    assert pipe.seen == [1]
