"""One notification for two kinds of waiters: it may wake the wrong one."""

import threading

OUTCOME = "deadlock"


class Slot:
    def __init__(self):
        self.changed = threading.Condition()
        self.full = False

    def put(self):
        with self.changed:
            while self.full:
                self.changed.wait()
            self.full = True
            self.changed.notify()

    def take(self):
        with self.changed:
            while not self.full:
                self.changed.wait()
            self.full = False
            self.changed.notify()


setup = Slot
threads = [Slot.take, Slot.take, Slot.put, Slot.put]
OPTIONS = {"max_executions": 5000}
