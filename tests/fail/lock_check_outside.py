"""ConDiff's account: the balance is tested before the lock is taken."""

import threading

OUTCOME = "wrong-result"


class Account:
    def __init__(self, balance):
        self._lock = threading.Lock()
        self.balance = balance

    def withdraw(self, amount):
        if self.balance >= amount:
            with self._lock:
                self.balance -= amount


def setup():
    return Account(10)


threads = [lambda account: account.withdraw(8), lambda account: account.withdraw(10)]


def check(account):
    assert account.balance >= 0
