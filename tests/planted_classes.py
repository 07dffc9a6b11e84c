"""Sound classes into which more than one test plants a fault."""

HITS = '''
import threading

class Hits:
    """What one look sees of several calls may fit each of them, and not all."""

    def __init__(self):
        self._lock = threading.Lock()
        self._known = set()
        self._hits = self._misses = 0

    def add(self, key: str):
        with self._lock:
            self._known.add(key)

    def has(self, key: str) -> bool:
        with self._lock:
            if key in self._known:
                self._hits += 1
                return True
            self._misses += 1
            return False

    def statistics(self):
        with self._lock:
            return self._hits, self._misses
'''
