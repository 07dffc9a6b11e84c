"""Two locks taken in opposite orders."""

import threading

OUTCOME = "deadlock"


def setup():
    return threading.Lock(), threading.Lock()


def forwards(locks):
    with locks[0], locks[1]:
        pass


def backwards(locks):
    with locks[1], locks[0]:
        pass


threads = [forwards, backwards]
