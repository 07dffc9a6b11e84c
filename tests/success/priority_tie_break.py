"""A counter keeps equal priorities apart."""

import itertools
import queue


class Tasks:
    def __init__(self):
        self.heap = queue.PriorityQueue()
        self.numbers = itertools.count()

    def add(self):
        self.heap.put((1, next(self.numbers), {}))


setup = Tasks
threads = [Tasks.add, Tasks.add]


def check(tasks):
    assert tasks.heap.qsize() == 2
