"""Two semaphores in opposite orders."""

import threading

OUTCOME = "deadlock"


def setup():
    return threading.Semaphore(), threading.Semaphore()


def forwards(pair):
    with pair[0]:
        with pair[1]:
            pass


def backwards(pair):
    with pair[1]:
        with pair[0]:
            pass


threads = [forwards, backwards]
