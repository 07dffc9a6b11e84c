"""Entries that live until a given tick; what has expired is swept out."""

from __future__ import annotations

import threading


class Expiring:
    """Keys and the tick at which they end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ends: dict[str, int] = {}
        self._swept: set[str] = set()

    def put(self, key: str, end: int) -> None:
        """Enter a key."""
        with self._lock:
            self._ends[key] = end
            self._swept.discard(key)

    def sweep(self, now: int) -> int:
        """Remove what has ended; returns how many."""
        removed = 0
        with self._lock:
            for key in list(self._ends):
                if self._ends[key] <= now:
                    del self._ends[key]
                    self._swept.add(key)
                    removed += 1
        return removed

    def forget_swept(self) -> int:
        """Forget what was swept out; returns how many."""
        forgotten = 0
        with self._lock:
            for key in sorted(self._swept):
                self._swept.remove(key)
                forgotten += 1
        return forgotten

    def alive(self) -> list[str]:
        """The keys that are there."""
        with self._lock:
            ends = list(self._ends.items())
        found = []
        for key, _end in ends:
            found.append(key)
        return found

    def swept(self) -> list[str]:
        """The keys that were swept out."""
        with self._lock:
            swept = set(self._swept)
        return sorted(key for key in swept)
