"""A notification before anybody waits is lost; the waiter is listed last."""

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


threads = [notify, wait]
