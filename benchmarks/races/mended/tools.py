"""A manager of tools that exists once: `__new__` makes it under a lock, complete."""

import threading


class ToolManager:
    _instance = None
    _lock = threading.Lock()

    def __new__(cls, *args, **kwargs):
        with cls._lock:
            if cls._instance is None:
                made = super().__new__(cls)
                made.clients = {}
                cls._instance = made
            return cls._instance

    def connect(self, name: str) -> int:
        with self._lock:
            self.clients[name] = len(self.clients) + 1
            return self.clients[name]

    def names(self) -> list:
        with self._lock:
            return sorted(self.clients)
