"""ConDiff's motivating example (Figure 2), the version before the change."""

import threading


class Account:
    """An account that holds its lock for the whole of every operation."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.balance = 0

    def deposit(self, amount: int) -> None:
        """Add a positive amount; other amounts are ignored."""
        with self._lock:
            if amount <= 0:
                return
            self.balance = self.balance + amount

    def withdraw(self, amount: int) -> None:
        """Take a positive amount that the balance covers; other amounts are ignored."""
        with self._lock:
            if amount <= 0:
                return
            if self.balance >= amount:
                self.balance = self.balance - amount
