"""Notifying without the lock."""

import threading

OUTCOME = "exception"


class Slot:
    def __init__(self):
        self.changed = threading.Condition()
        self.waiting = 0

    def wait(self):
        with self.changed:
            self.waiting += 1
            self.changed.wait(timeout=1)

    def wake(self):
        if self.waiting:
            self.changed.notify()


setup = Slot
threads = [Slot.wait, Slot.wake]
