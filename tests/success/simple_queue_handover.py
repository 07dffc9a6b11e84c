"""What is put is got."""

import queue


def setup():
    return queue.SimpleQueue()


def consume(items):
    assert items.get() == 1


threads = [lambda items: items.put(1), consume]
