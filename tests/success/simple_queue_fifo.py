"""One producer's items stay in order."""

import queue


def setup():
    return queue.SimpleQueue()


def produce(items):
    for item in range(3):
        items.put(item)


def consume(items):
    for item in range(3):
        assert items.get() == item


threads = [produce, consume]
