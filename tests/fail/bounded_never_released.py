"""The permit is kept."""

import threading

OUTCOME = "deadlock"


def setup():
    return threading.BoundedSemaphore(1)


threads = [lambda permit: permit.acquire(), lambda permit: permit.acquire()]
