"""Somebody gives up, and everybody at the barrier learns of it."""

import threading

OUTCOME = "exception"


def setup():
    return threading.Barrier(2)


threads = [lambda barrier: barrier.wait(), lambda barrier: barrier.abort()]
