"""Two re-entrant locks in opposite orders: a transfer both ways."""

import threading

OUTCOME = "deadlock"


class Account:
    def __init__(self):
        self.lock = threading.RLock()
        self.balance = 10


def transfer(source, target):
    with source.lock:
        with target.lock:
            source.balance -= 1
            target.balance += 1


def setup():
    return Account(), Account()


threads = [lambda pair: transfer(pair[0], pair[1]), lambda pair: transfer(pair[1], pair[0])]
