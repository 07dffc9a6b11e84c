"""A wait with a time-out ends although nobody notifies."""

import threading


def setup():
    return threading.Condition()


def wait(condition):
    with condition:
        assert not condition.wait(timeout=10)


threads = [wait, wait]
