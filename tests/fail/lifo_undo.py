"""Popping what one pushed: another thread may have pushed in between."""

import queue

OUTCOME = "exception"


def setup():
    return queue.LifoQueue()


def push_and_pop(name, stack):
    stack.put(name)
    assert stack.get() == name


threads = [lambda stack: push_and_pop("a", stack), lambda stack: push_and_pop("b", stack)]
