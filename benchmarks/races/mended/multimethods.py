"""A table of signatures that finds an implementation on a miss, under a lock."""

import threading


class multimethod:
    def __init__(self, func):
        self._lock = threading.RLock()
        self._default = func
        self._table = {(object,): func}

    def register(self, kind: type, func=str) -> None:
        with self._lock:
            self._table[(kind,)] = func

    def _find(self, types):
        with self._lock:
            if types not in self._table:
                parents = {key for key in self._table if all(map(issubclass, types, key))}
                self._table[types] = self._table[min(parents, key=str)] if parents else self._default
            return self._table[types]

    def __call__(self, value):
        return self._find((type(value),))(value)
