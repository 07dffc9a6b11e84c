"""Waiting for a predicate."""

import threading


class Door:
    def __init__(self):
        self.changed = threading.Condition()
        self.open = False

    def wait(self):
        with self.changed:
            assert self.changed.wait_for(lambda: self.open)

    def unlock(self):
        with self.changed:
            self.open = True
            self.changed.notify_all()


setup = Door
threads = [Door.wait, Door.wait, Door.unlock]
