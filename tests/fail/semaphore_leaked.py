"""A permit that an error path does not give back."""

import threading

OUTCOME = "deadlock"


class Pool:
    def __init__(self):
        self.permits = threading.Semaphore(1)
        self.broken = True

    def use(self):
        self.permits.acquire()
        if self.broken:
            return
        self.permits.release()


setup = Pool
threads = [Pool.use, Pool.use]
