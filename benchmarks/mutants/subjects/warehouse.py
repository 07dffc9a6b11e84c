"""Stock and orders, each under its own lock; who needs both takes the lock of the orders first."""

from __future__ import annotations

import threading


class OutOfStockError(Exception):
    """There is not enough."""


class Warehouse:
    """Items in stock, and how many of them are promised."""

    def __init__(self, stock: int = 2) -> None:
        self._orders_lock = threading.RLock()
        self._stock_lock = threading.RLock()
        self._stock = max(0, stock)
        self._orders: dict[str, int] = {}

    def order(self, customer: str, amount: int) -> int:
        """Promise items to a customer; returns what is left."""
        with self._orders_lock:
            with self._stock_lock:
                if amount > self._stock:
                    raise OutOfStockError
                self._stock -= amount
                left = self._stock
            self._orders[customer] = self._orders.get(customer, 0) + amount
            return left

    def cancel(self, customer: str) -> int:
        """Give back what was promised; KeyError if nothing was. Returns how many."""
        with self._orders_lock:
            amount = self._orders.pop(customer)
            with self._stock_lock:
                self._stock += amount
            return amount

    def receive(self, amount: int) -> int:
        """New items; returns how many there are."""
        with self._stock_lock:
            self._stock += max(0, amount)
            return self._stock

    def replace(self, old: str, new: str) -> None:
        """Another customer gets what was promised to the first one; KeyError if nothing was."""
        with self._orders_lock:
            with self._stock_lock:
                self.order(new, 0)
                self._orders[new] += self._orders.pop(old)

    def balance(self) -> int:
        """Items in stock and promised ones."""
        with self._orders_lock, self._stock_lock:
            return self._stock + sum(self._orders.values())
