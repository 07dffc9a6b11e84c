"""A consumer waits until something is there."""

import queue


def setup():
    return queue.PriorityQueue()


threads = [lambda heap: heap.put(1), lambda heap: heap.get()]


def check(heap):
    assert heap.empty()
