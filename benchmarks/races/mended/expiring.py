"""A decorator class whose cache is asked and added to under a lock."""

import threading


class cache:
    def __init__(self, ttl: int = 60):
        self.ttl = ttl
        self._kept = {}
        self._lock = threading.Lock()

    def __call__(self, func):
        def wrapped(*args):
            with self._lock:
                found = self._kept.get(args)
                if found is None:
                    found = self._kept[args] = func(*args)
                return found

        return wrapped
