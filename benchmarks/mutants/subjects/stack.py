"""A stack of limited height; pushing and popping wait."""

from __future__ import annotations

import threading


class Stack:
    """The last item comes out first."""

    def __init__(self, height: int = 1) -> None:
        self._lock = threading.Lock()
        self._pushed = threading.Condition(self._lock)
        self._popped = threading.Condition(self._lock)
        self._height = max(1, height)
        self._items: list[int] = []

    def push(self, item: int) -> int:
        """Put an item on top, as soon as there is room; returns the height."""
        with self._lock:
            self._popped.wait_for(lambda: len(self._items) < self._height)
            self._items.append(item)
            self._pushed.notify()
            return len(self._items)

    def pop(self) -> int:
        """Take the item from the top, as soon as there is one."""
        with self._lock:
            self._pushed.wait_for(lambda: self._items)
            item = self._items.pop()
            self._popped.notify()
            return item

    def clear(self) -> list[int]:
        """Take everything."""
        with self._lock:
            items = self._items
            self._items = []
            self._popped.notify_all()
            return items

    def peek(self) -> int | None:
        """The item at the top."""
        with self._lock:
            return self._items[-1] if self._items else None
