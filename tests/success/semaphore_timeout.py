"""Waiting for a permit ends when nobody gives one back."""

import threading


def setup():
    return threading.Semaphore(0)


threads = [lambda permits: permits.acquire(timeout=3), lambda permits: permits.acquire(timeout=2)]


def check(permits):
    assert permits._value == 0
