"""Names for numbers, and the way back."""

from __future__ import annotations

import threading


class Registry:
    """A table in both directions; each name and each number occurs once."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}

    def register(self, name: str, number: int) -> None:
        """Enter a pair; ValueError if one of the two is taken."""
        with self._lock:
            if name in self._numbers or number in self._names:
                raise ValueError("taken")
            self._numbers[name] = number
            self._names[number] = name

    def rename(self, old: str, new: str) -> int:
        """Give a number another name; KeyError if the old one is unknown."""
        with self._lock:
            number = self.unregister(old)
            self.register(new, number)
            return number

    def unregister(self, name: str) -> int:
        """Remove a pair and return its number; KeyError if the name is unknown."""
        with self._lock:
            number = self._numbers.pop(name)
            del self._names[number]
            return number

    def number_of(self, name: str) -> int | None:
        """The number of a name."""
        with self._lock:
            return self._numbers.get(name)

    def name_of(self, number: int) -> str | None:
        """The name of a number."""
        with self._lock:
            return self._names.get(number)

    def consistent(self) -> bool:
        """Whether both directions say the same."""
        with self._lock:
            return {number: name for name, number in self._numbers.items()} == self._names
