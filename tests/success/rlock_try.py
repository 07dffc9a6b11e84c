"""The owner gets its lock at once, everybody else is told."""

import threading


class Gate:
    def __init__(self):
        self.lock = threading.RLock()
        self.inside = 0

    def enter(self):
        if self.lock.acquire(blocking=False):
            assert self.lock.acquire(blocking=False)
            self.inside += 1
            assert self.inside == 1
            self.inside -= 1
            self.lock.release()
            self.lock.release()


setup = Gate
threads = [Gate.enter, Gate.enter]
