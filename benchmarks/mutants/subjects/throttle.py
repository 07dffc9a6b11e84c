"""Limits how many calls are under way at a time; the calls may fail."""

from __future__ import annotations

import threading


class Throttle:
    """A table that at most ``most`` callers work on at a time."""

    def __init__(self, most: int = 1) -> None:
        self._slots = threading.BoundedSemaphore(max(1, most))
        self._lock = threading.Lock()
        self._table: dict[str, int] = {}

    def store(self, key: str, number: int) -> None:
        """Enter a number; ValueError if it is negative."""
        with self._slots:
            if number < 0:
                raise ValueError("negative")
            with self._lock:
                self._table[key] = number

    def add(self, key: str, number: int) -> int:
        """Add to a number; KeyError if there is none."""
        with self._slots:
            with self._lock:
                self._table[key] += number
                return self._table[key]

    def remove(self, key: str) -> int:
        """Remove a number and return it; KeyError if there is none."""
        self._slots.acquire()
        try:
            with self._lock:
                return self._table.pop(key)
        finally:
            self._slots.release()

    def size(self) -> int:
        """How many numbers there are."""
        with self._slots:
            with self._lock:
                return len(self._table)
