"""A bounded queue that nobody empties."""

import queue

OUTCOME = "deadlock"


def setup():
    return queue.Queue(maxsize=1)


threads = [lambda items: items.put(1), lambda items: items.put(2)]
