"""Listeners that are told what happens; the list of them is replaced, never changed."""

from __future__ import annotations

import threading


class EventBus:
    """Subscribers have names."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names: list[str] = []

    def subscribe(self, name: str) -> None:
        """A new subscriber; ValueError if the name is taken."""
        with self._lock:
            if name in self._names:
                raise ValueError("subscribed already")
            names = list(self._names)
            names.append(name)
            self._names = names

    def unsubscribe(self, name: str) -> bool:
        """Remove a subscriber; False if there is none."""
        with self._lock:
            if name not in self._names:
                return False
            names = list(self._names)
            names.remove(name)
            self._names = names
            return True

    def publish(self, event: int) -> list[str]:
        """The subscribers that were told, in the order of their subscription."""
        reached = []
        for name in self._names:
            reached.append(f"{name}: {event}")
        return reached

    def subscribers(self) -> list[str]:
        """Who would be told now."""
        return [name for name in self._names if name]
