"""`queue.SimpleQueue`: each method is atomic, as in CPython's C version (its Python version is not atomic)."""

from __future__ import annotations

from collections import deque
from queue import Empty
from types import GenericAlias
from typing import Any

from plait.run.primitives.condition import Condition
from plait.run.primitives.lock import Lock, check_number


class SimpleQueue:
    """An unbounded queue; each method is one step."""

    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(self) -> None:
        self._items: deque[Any] = deque()
        self._ready = Condition(Lock())

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Append an item without waiting; the other arguments are for compatibility with `queue.Queue`."""
        with self._ready:
            self._items.append(item)
            self._ready.notify()

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Mirror `queue.SimpleQueue.get`."""
        if block and timeout is not None:
            check_number(timeout)
        if block and timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        with self._ready:
            if not (self._ready.wait_for(lambda: self._items, timeout) if block else self._items):
                raise Empty
            return self._items.popleft()

    def put_nowait(self, item: Any) -> None:
        """Mirror `queue.SimpleQueue.put_nowait`."""
        self.put(item)

    def get_nowait(self) -> Any:
        """Mirror `queue.SimpleQueue.get_nowait`."""
        return self.get(block=False)

    def empty(self) -> bool:
        """Mirror `queue.SimpleQueue.empty`."""
        return self.qsize() == 0

    def qsize(self) -> int:
        """Mirror `queue.SimpleQueue.qsize`."""
        with self._ready:
            return len(self._items)


SimpleQueue.__module__ = "queue"
