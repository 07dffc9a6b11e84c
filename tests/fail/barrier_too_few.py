"""A barrier for three that only two reach."""

import threading

OUTCOME = "deadlock"


def setup():
    return threading.Barrier(3)


threads = [lambda barrier: barrier.wait(), lambda barrier: barrier.wait()]
