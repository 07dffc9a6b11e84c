"""ConDiff's motivating example (Figure 2), the version after the change.

The critical sections were made smaller, and the test of the balance in `withdraw` was left outside.
"""

import threading


class Account:
    """An account that takes its lock as late as possible: in `withdraw` too late."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.balance = 0

    def deposit(self, amount: int) -> None:
        """Add a positive amount; other amounts are ignored."""
        if amount <= 0:
            return
        with self._lock:
            self.balance = self.balance + amount

    def withdraw(self, amount: int) -> None:
        """Take a positive amount that the balance covers; other amounts are ignored."""
        if amount <= 0:
            return
        if self.balance >= amount:
            with self._lock:
                self.balance = self.balance - amount
