"""One lock per key, made on demand; what is done under it is seen whole."""

from __future__ import annotations

import threading


class KeyLocks:
    """Counts per key, each under a lock of its own."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._counts: dict[str, int] = {}
        self._owners: dict[str, str] = {}
        self._groups: dict[str, set[str]] = {}

    def increment(self, key: str) -> int:
        """Count a key; returns the new count."""
        lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            count = self._counts.get(key, 0) + 1
            self._counts[key] = count
            return count

    def decrement(self, key: str) -> int:
        """Take one away; KeyError if nothing was counted."""
        lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            count = self._counts[key] - 1
            self._counts[key] = count
            return count

    def own(self, key: str, owner: str) -> bool:
        """Whether the owner has the key now: the first one gets it."""
        return self._owners.setdefault(key, owner) == owner

    def join(self, group: str, member: str) -> None:
        """Become a member."""
        self._groups.setdefault(group, set()).add(member)

    def members(self, group: str) -> list[str]:
        """Who is a member, sorted."""
        return sorted(self._groups.get(group, ()))
