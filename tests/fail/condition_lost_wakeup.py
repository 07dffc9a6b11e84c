"""A notification before anybody waits is lost; the waiter is listed first."""

import threading

OUTCOME = "deadlock"


def setup():
    return threading.Condition()


def wait(condition):
    with condition:
        condition.wait()


def notify(condition):
    with condition:
        condition.notify()


threads = [wait, notify]
