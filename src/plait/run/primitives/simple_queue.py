"""`queue.SimpleQueue`: the C one is atomic in every method, which CPython's Python version of it is not."""

from __future__ import annotations

from collections import deque
from queue import Empty
from types import GenericAlias
from typing import Any

from plait.run.primitives.condition import Condition
from plait.run.primitives.lock import Lock, check_number


class SimpleQueue:
    """Unbounded; every method is one critical section."""

    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(self) -> None:
        self._items: deque[Any] = deque()
        self._ready = Condition(Lock())

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Never waits; the other arguments are for compatibility with `queue.Queue`."""
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
        """Do what `put` does."""
        self.put(item)

    def get_nowait(self) -> Any:
        """Do what `get` does, without waiting."""
        return self.get(block=False)

    def empty(self) -> bool:
        """Return whether there is nothing now."""
        return self.qsize() == 0

    def qsize(self) -> int:
        """Return how many there are now."""
        with self._ready:
            return len(self._items)


SimpleQueue.__module__ = "queue"
