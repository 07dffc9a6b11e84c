"""A lock made at import time, used everywhere."""

import threading

LOCK = threading.Lock()
BOX = {"n": 0}


def add():
    with LOCK:
        BOX["n"] += 1


setup = None
threads = [add, add]


def check():
    assert BOX["n"] == 2
