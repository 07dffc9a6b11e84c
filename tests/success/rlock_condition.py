"""A condition over an existing lock, which the waiter holds twice."""

import threading


class Door:
    def __init__(self):
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.open = False

    def wait(self):
        with self.lock:
            with self.lock:
                while not self.open:
                    self.changed.wait()

    def unlock(self):
        with self.lock:
            self.open = True
            self.changed.notify_all()


setup = Door
threads = [Door.wait, Door.unlock]
