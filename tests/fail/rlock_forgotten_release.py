"""Taken twice, released once: the other thread waits for ever."""

import threading

OUTCOME = "deadlock"


class Store:
    def __init__(self):
        self.lock = threading.RLock()

    def update(self):
        self.lock.acquire()
        with self.lock:
            pass


setup = Store
threads = [Store.update, Store.update]
