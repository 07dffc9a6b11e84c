"""A failed attempt gives nothing back."""

import threading


def setup():
    return threading.BoundedSemaphore(1)


def use(permits):
    if permits.acquire(blocking=False):
        permits.release()


threads = [use, use]
