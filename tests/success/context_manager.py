"""A lock behind a context manager of one's own."""

import contextlib
import threading


class Store:
    def __init__(self):
        self.lock = threading.Lock()
        self.items = 0

    @contextlib.contextmanager
    def locked(self):
        with self.lock:
            yield self

    def add(self):
        with self.locked() as store:
            store.items += 1


setup = Store
threads = [Store.add, Store.add]


def check(store):
    assert store.items == 2
