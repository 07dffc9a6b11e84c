"""A re-entrant lock released by a thread that does not hold it."""

import threading

OUTCOME = "exception"


class Gate:
    def __init__(self):
        self.lock = threading.RLock()
        self.open = False

    def enter(self):
        self.lock.acquire()
        self.open = True
        if self.open:
            self.lock.release()

    def leave(self):
        if self.open:
            self.lock.release()


setup = Gate
threads = [Gate.enter, Gate.leave]
