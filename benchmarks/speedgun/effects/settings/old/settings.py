"""Read often, written seldom."""

import threading


class Settings:
    """Named values; writing replaces the whole table."""

    def __init__(self):
        self._lock = threading.Lock()
        self._table = {}

    def get(self, name: str):
        with self._lock:
            return self._table.get(name)

    def set(self, name: str, value: int):
        with self._lock:
            self._table = {**self._table, name: value}
