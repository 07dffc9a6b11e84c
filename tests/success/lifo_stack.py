"""Last in, first out, within one thread."""

import queue


def setup():
    return queue.LifoQueue()


def use(stack):
    stack.put(1)
    stack.put(2)
    assert stack.get() == 2
    assert stack.get() == 1


threads = [use]
