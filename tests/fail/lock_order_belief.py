"""The belief that the first thread in the list takes the lock first."""

import threading

OUTCOME = "wrong-result"


class Log:
    def __init__(self):
        self.lock = threading.Lock()
        self.names = []

    def enter(self, name):
        with self.lock:
            self.names.append(name)


setup = Log
threads = [lambda log: log.enter("a"), lambda log: log.enter("b")]


def check(log):
    assert log.names[0] == "a"
