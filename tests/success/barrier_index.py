"""Exactly one party gets the number zero."""

import threading


class Election:
    def __init__(self):
        self.barrier = threading.Barrier(2)
        self.lock = threading.Lock()
        self.leaders = 0

    def vote(self):
        if self.barrier.wait() == 0:
            with self.lock:
                self.leaders += 1


setup = Election
threads = [Election.vote, Election.vote]


def check(election):
    assert election.leaders == 1
OPTIONS = {"max_executions": 2000}
