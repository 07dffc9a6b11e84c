"""A lock for each key, made under a lock for all."""

import threading
from collections import defaultdict


class Accounts:
    def __init__(self):
        self.lock = threading.Lock()
        self.locks = defaultdict(threading.Lock)
        self.balances = {"a": 0, "b": 0}

    def add(self, key):
        with self.lock:
            lock = self.locks[key]
        with lock:
            self.balances[key] += 1


setup = Accounts
threads = [lambda accounts: accounts.add("a"), lambda accounts: accounts.add("a"), lambda accounts: accounts.add("b")]
OPTIONS = {"max_executions": 2000}


def check(accounts):
    assert accounts.balances == {"a": 2, "b": 1}
