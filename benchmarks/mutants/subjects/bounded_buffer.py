"""A queue of limited length between producers and consumers."""

from __future__ import annotations

import threading
from collections import deque


class BoundedBuffer:
    """`put` waits for room, `get` for an item."""

    def __init__(self, capacity: int = 1) -> None:
        self._lock = threading.Lock()
        self._not_empty = threading.Condition(self._lock)
        self._not_full = threading.Condition(self._lock)
        self._capacity = max(1, capacity)
        self._items: deque[int] = deque()

    def put(self, item: int) -> None:
        """Append an item, as soon as there is room."""
        with self._lock:
            while len(self._items) >= self._capacity:
                self._not_full.wait()
            self._items.append(item)
            self._not_empty.notify()

    def get(self) -> int:
        """Take the oldest item, as soon as there is one."""
        with self._lock:
            while not self._items:
                self._not_empty.wait()
            item = self._items.popleft()
            self._not_full.notify()
            return item

    def offer(self, item: int) -> bool:
        """Append an item if there is room."""
        with self._lock:
            if len(self._items) >= self._capacity:
                return False
            self._items.append(item)
            self._not_empty.notify()
            return True

    def size(self) -> int:
        """How many items there are."""
        with self._lock:
            return len(self._items)
