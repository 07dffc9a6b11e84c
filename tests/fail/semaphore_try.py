"""A permit that was not there is given back all the same."""

import threading

OUTCOME = "wrong-result"


class Seats:
    def __init__(self):
        self.free = threading.Semaphore(1)

    def visit(self):
        self.free.acquire(blocking=False)
        self.free.release()


setup = Seats
threads = [Seats.visit, Seats.visit]


def check(seats):
    assert seats.free._value == 1
