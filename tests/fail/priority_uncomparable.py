"""Equal priorities compare what comes behind them."""

import queue

OUTCOME = "exception"


def setup():
    return queue.PriorityQueue()


threads = [lambda heap: heap.put((1, {"a": 1})), lambda heap: heap.put((1, {"b": 2}))]
