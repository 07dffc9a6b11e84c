"""The smallest item comes first only if it is there in time."""

import queue

OUTCOME = "exception"


def setup():
    return queue.PriorityQueue()


def produce(heap):
    heap.put(2)
    heap.put(1)


def consume(heap):
    assert heap.get() == 1
    assert heap.get() == 2


threads = [produce, consume]
