"""A signal that is taken back before the waiter looked."""

import threading

OUTCOME = "deadlock"


def setup():
    return threading.Event()


def signal(event):
    event.set()
    event.clear()


threads = [lambda event: event.wait(), signal]
