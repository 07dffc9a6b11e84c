"""Nobody promised this order."""

import queue

OUTCOME = "wrong-result"


def setup():
    return queue.SimpleQueue()


threads = [lambda items: items.put("a"), lambda items: items.put("b")]


def check(items):
    assert items.get() == "a"
