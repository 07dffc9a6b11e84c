"""The same loop when time-outs may strike at any moment."""

import threading

OPTIONS = {"timeouts": "any", "max_executions": 3000}


class Door:
    def __init__(self):
        self.changed = threading.Condition()
        self.open = False

    def wait(self):
        with self.changed:
            if not self.open:
                self.changed.wait(timeout=1)
            return self.open

    def unlock(self):
        with self.changed:
            self.open = True
            self.changed.notify()


setup = Door
threads = [Door.wait, Door.unlock]
