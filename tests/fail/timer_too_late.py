"""Cancelling comes too late when time-outs may strike at any moment."""

import threading

OUTCOME = "wrong-result"
OPTIONS = {"timeouts": "any", "max_executions": 3000}


class Watchdog:
    def __init__(self):
        self.barked = False

    def bark(self):
        self.barked = True

    def work(self):
        timer = threading.Timer(60, self.bark)
        timer.start()
        timer.cancel()
        timer.join()


setup = Watchdog
threads = [Watchdog.work]


def check(watchdog):
    assert not watchdog.barked
