"""Nobody signals, and the waiter is told so."""

import threading


def setup():
    return threading.Event()


def wait(event):
    assert not event.wait(timeout=2)


threads = [wait, wait]
