"""Settings of a program: readers take a snapshot, writers make a new one."""

from __future__ import annotations

import threading


class Settings:
    """Names to numbers; a change of two is seen whole or not at all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, int] = {"low": 0, "high": 10}
        self._history: list[str] = []

    def set_range(self, low: int, high: int) -> None:
        """Change both ends; ValueError if they are in the wrong order."""
        if low > high:
            raise ValueError("low is above high")
        with self._lock:
            values = dict(self._values)
            values["low"] = low
            values["high"] = high
            self._values = values

    def widen(self, by: int) -> int:
        """Move both ends apart; returns the new width."""
        with self._lock:
            values = dict(self._values)
            values["low"] -= by
            values["high"] += by
            self._values = values
            return values["high"] - values["low"]

    def width(self) -> int:
        """The distance of both ends."""
        values = self._values
        return values["high"] - values["low"]

    def note(self, text: str) -> None:
        """Keep a remark."""
        with self._lock:
            self._history = [*self._history, text]

    def history(self) -> list[str]:
        """The remarks, oldest first."""
        done = []
        for step in self._history:
            done.append(step)
        return done
