"""Not empty a moment ago."""

import queue

OUTCOME = "exception"


def setup():
    heap = queue.PriorityQueue()
    heap.put(1)
    return heap


def take(heap):
    if not heap.empty():
        heap.get_nowait()


threads = [take, take]
