"""Implementations that are sorted in with the first call, under a lock."""

import threading


class Function:
    def __init__(self):
        self._pending = [(int, "number"), (str, "text")]
        self._resolved = {}
        self._lock = threading.Lock()

    def _resolve(self):
        with self._lock:
            while self._pending:
                kind, name = self._pending.pop()
                self._resolved[kind] = name

    def __call__(self, value: int) -> str:
        self._resolve()
        return self._resolved[type(value)]

    def implementations(self) -> int:
        self._resolve()
        return len(self._resolved)
