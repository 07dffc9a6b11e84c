"""Asking whether a queue is empty says nothing about the next moment."""

import queue

OUTCOME = "exception"


def setup():
    items = queue.Queue()
    items.put(1)
    return items


def take(items):
    if not items.empty():
        items.get_nowait()


threads = [take, take]
