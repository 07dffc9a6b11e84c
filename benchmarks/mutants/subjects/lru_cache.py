"""A cache that forgets what was used least recently."""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock


class LRUCache:
    """At most ``capacity`` entries."""

    def __init__(self, capacity: int = 2) -> None:
        self._lock = RLock()
        self._capacity = max(1, capacity)
        self._entries: OrderedDict[str, int] = OrderedDict()
        self._hits = 0

    def get(self, key: str) -> int | None:
        """The value, or None; the entry counts as used."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            self._hits += 1
            return self._entries[key]

    def put(self, key: str, value: int) -> None:
        """Store a value; the oldest entry goes if there is no room."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            self._shrink()

    def _shrink(self) -> None:
        with self._lock:
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def pop(self, key: str) -> int:
        """Remove an entry and return its value; KeyError if there is none."""
        with self._lock:
            value = self._entries[key]
            del self._entries[key]
            return value

    def size(self) -> int:
        """How many entries there are."""
        with self._lock:
            return len(self._entries)

    def keys(self) -> list[str]:
        """The keys, least recently used first."""
        with self._lock:
            return list(self._entries)
