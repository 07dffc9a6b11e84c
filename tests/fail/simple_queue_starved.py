"""Two take, one puts."""

import queue

OUTCOME = "deadlock"


def setup():
    return queue.SimpleQueue()


threads = [lambda items: items.get(), lambda items: items.get(), lambda items: items.put(1)]
