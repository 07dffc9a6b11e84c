"""Every permit comes back exactly once."""

import threading


def setup():
    return threading.BoundedSemaphore(2)


def use(permits):
    permits.acquire()
    permits.release()


threads = [use, use, use]


def check(permits):
    assert permits._value == 2
