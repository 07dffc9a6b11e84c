"""Two locks, always in the same order."""

import threading


def setup():
    return threading.Lock(), threading.Lock()


def both(locks):
    with locks[0], locks[1]:
        pass


threads = [both, both]
