"""A bank with two accounts, each with its own lock; locks are taken in one order."""

from __future__ import annotations

import threading


class Accounts:
    """Checking and savings."""

    def __init__(self, checking: int = 10, savings: int = 10) -> None:
        self._checking_lock = threading.Lock()
        self._savings_lock = threading.Lock()
        self._checking = checking
        self._savings = savings

    def save(self, amount: int) -> bool:
        """From checking to savings; False if there is not enough."""
        with self._checking_lock:
            with self._savings_lock:
                if self._checking < amount:
                    return False
                self._checking -= amount
                self._savings += amount
                return True

    def spend(self, amount: int) -> bool:
        """From savings to checking; False if there is not enough."""
        with self._checking_lock:
            with self._savings_lock:
                if self._savings < amount:
                    return False
                self._savings -= amount
                self._checking += amount
                return True

    def total(self) -> int:
        """What both have together."""
        with self._checking_lock, self._savings_lock:
            return self._checking + self._savings

    def deposit(self, amount: int) -> int:
        """Into checking; ValueError for less than nothing."""
        with self._checking_lock:
            if amount < 0:
                raise ValueError("less than nothing")
            self._checking += amount
            return self._checking
