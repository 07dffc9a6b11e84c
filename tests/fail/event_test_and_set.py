"""Whoever finds the flag down raises it and believes to be the only one."""

import threading

OUTCOME = "wrong-result"


class Once:
    def __init__(self):
        self.begun = threading.Event()
        self.runs = []

    def run(self):
        if not self.begun.is_set():
            self.begun.set()
            self.runs.append(1)


setup = Once
threads = [Once.run, Once.run]


def check(once):
    assert len(once.runs) == 1
