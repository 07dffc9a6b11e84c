"""Not empty a moment ago."""

import queue

OUTCOME = "exception"


def setup():
    items = queue.SimpleQueue()
    items.put(1)
    return items


def take(items):
    if not items.empty():
        items.get_nowait()


threads = [take, take]
