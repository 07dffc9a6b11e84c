"""One release too many, which only some orders notice."""

import threading

OUTCOME = "exception"


def setup():
    return threading.Lock()


def use(lock):
    with lock:
        pass


def tidy_up(lock):
    if lock.locked():
        lock.release()


threads = [use, tidy_up]
