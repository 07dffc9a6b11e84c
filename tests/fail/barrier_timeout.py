"""The second party does not come in time."""

import threading

OUTCOME = "exception"


def setup():
    return threading.Barrier(2, timeout=5)


threads = [lambda barrier: barrier.wait()]
