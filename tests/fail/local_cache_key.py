"""A cache per thread of something that is shared."""

import threading

OUTCOME = "wrong-result"


class Ids:
    def __init__(self):
        self.local = threading.local()
        self.next = 0
        self.given = []

    def take(self):
        if not hasattr(self.local, "id"):
            self.local.id = self.next
            self.next += 1
        self.given.append(self.local.id)


setup = Ids
threads = [Ids.take, Ids.take]


def check(ids):
    assert sorted(ids.given) == [0, 1]
