"""Sorted, whatever the order of arrival."""

import queue


def setup():
    return queue.PriorityQueue()


threads = [lambda heap: heap.put(2), lambda heap: heap.put(1)]


def check(heap):
    assert [heap.get(), heap.get()] == [1, 2]
