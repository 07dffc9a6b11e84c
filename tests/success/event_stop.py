"""A loop that another thread stops."""

import threading


class Loop:
    def __init__(self):
        self.stop = threading.Event()
        self.turns = 0

    def run(self):
        while not self.stop.wait(timeout=1):
            self.turns += 1


setup = Loop
threads = [Loop.run, lambda loop: loop.stop.set()]


def check(loop):
    assert loop.stop.is_set()
