"""Observers of a value: a snapshot of them is told about every change."""

from __future__ import annotations

import threading


class Observers:
    """Observers are names; what they were told is counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names: list[str] = []
        self._marks: dict[str, int] = {}
        self._value = 0

    def add(self, name: str) -> int:
        """A new observer; returns how many there are."""
        with self._lock:
            self._names.append(name)
            self._marks[name] = 0
            return len(self._names)

    def remove(self, name: str) -> None:
        """Remove an observer; ValueError if there is none."""
        with self._lock:
            self._names.remove(name)
            self._marks.pop(name, None)

    def change(self, value: int) -> list[str]:
        """Set the value; returns who was told."""
        with self._lock:
            self._value = value
            names = list(self._names)
        told = []
        for name in names:
            told.append(name)
        return told

    def shout(self) -> str:
        """All names in one word."""
        with self._lock:
            names = tuple(self._names)
        word = ""
        for name in names:
            word += name
        return word

    def marked(self) -> dict[str, int]:
        """The marks of all observers, each raised by one."""
        with self._lock:
            marks = dict(self._marks)
        found = {}
        for name, mark in marks.items():
            found[name] = mark + 1
        return found
