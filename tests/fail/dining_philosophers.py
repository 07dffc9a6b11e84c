"""Three philosophers, three forks."""

import threading

OUTCOME = "deadlock"


def setup():
    return [threading.Lock() for _ in range(3)]


def dine(forks, seat):
    with forks[seat], forks[(seat + 1) % 3]:
        pass


threads = [lambda forks: dine(forks, 0), lambda forks: dine(forks, 1), lambda forks: dine(forks, 2)]
