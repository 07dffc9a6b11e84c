"""Two believe to have put the first item."""

import queue

OUTCOME = "wrong-result"


class Inbox:
    def __init__(self):
        self.items = queue.SimpleQueue()
        self.firsts = []

    def put(self):
        if self.items.qsize() == 0:
            self.items.put(1)
            self.firsts.append(1)


setup = Inbox
threads = [Inbox.put, Inbox.put]


def check(inbox):
    assert len(inbox.firsts) == 1
