"""Bounded, and nobody takes."""

import queue

OUTCOME = "deadlock"


def setup():
    return queue.PriorityQueue(1)


threads = [lambda heap: heap.put(2), lambda heap: heap.put(1)]
