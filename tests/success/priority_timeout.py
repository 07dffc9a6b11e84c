"""A get that gives up."""

import queue


def setup():
    return queue.PriorityQueue()


def take(heap):
    try:
        heap.get(timeout=1)
    except queue.Empty:
        return
    raise AssertionError


threads = [take]
