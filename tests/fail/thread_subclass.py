"""A subclass of Thread whose result is read before it is there."""

import threading

OUTCOME = "exception"


class Worker(threading.Thread):
    def __init__(self):
        super().__init__()
        self.result = None

    def run(self):
        self.result = 42


def use():
    worker = Worker()
    worker.start()
    assert worker.result == 42


setup = None
threads = [use]
