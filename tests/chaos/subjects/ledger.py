"""A class with several races that have nothing to do with each other: enough to lose some of them."""

import threading


class Ledger:
    def __init__(self):
        self._lock = threading.Lock()
        self._entries = {}
        self._names = []
        self.sold = 0
        self.bought = 0
        self.last = None

    def put(self, key: str, amount: int):
        with self._lock:
            self._entries[key] = self._entries.get(key, 0) + amount

    def total(self):
        with self._lock:
            return sum(self._entries.values())

    def sell(self):
        sold = self.sold
        self.sold = sold + 1
        return self.sold

    def buy(self):
        bought = self.bought
        self.bought = bought + 1
        return self.bought

    def take(self, key: str):
        if key in self._entries:
            return self._entries.pop(key)
        return 0

    def note(self, name: str):
        self._names.append(name)

    def last_note(self):
        return self._names[-1] if self._names else None

    def forget(self):
        if self._names:
            self._names.pop()
