"""A bounded FIFO buffer: two conditions over one lock."""

from collections import deque
from threading import Condition, Lock


class BoundedBuffer:
    """Hands items from producers to consumers; holds at most ``capacity`` of them."""

    def __init__(self, capacity: int = 2) -> None:
        if capacity < 1:
            raise ValueError("capacity must be positive")
        self._capacity = capacity
        self._items: deque = deque()
        self._lock = Lock()
        self._not_empty = Condition(self._lock)
        self._not_full = Condition(self._lock)

    def put(self, item) -> None:
        """Append an item; wait while the buffer is full."""
        with self._not_full:
            while len(self._items) >= self._capacity:
                self._not_full.wait()
            self._items.append(item)
            self._not_empty.notify()

    def get(self):
        """Remove and return the oldest item; wait while there is none."""
        with self._not_empty:
            while not self._items:
                self._not_empty.wait()
            item = self._items.popleft()
            self._not_full.notify()
            return item

    def offer(self, item) -> bool:
        """Append an item if there is room; return whether there was."""
        with self._lock:
            if len(self._items) >= self._capacity:
                return False
            self._items.append(item)
            self._not_empty.notify()
            return True

    def __len__(self) -> int:
        with self._lock:
            return len(self._items)
