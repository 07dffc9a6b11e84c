"""A queue that gives out the smallest item first, and can be closed."""

from __future__ import annotations

import heapq
import threading


class QueueClosedError(Exception):
    """Nothing will come any more."""


class PriorityQueue:
    """`take` waits for an item or for the end."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._heap: list[int] = []
        self._closed = False

    def add(self, item: int) -> None:
        """Add an item; raises when the queue is closed."""
        with self._changed:
            if self._closed:
                raise QueueClosedError
            heapq.heappush(self._heap, item)
            self._changed.notify()

    def take(self) -> int:
        """The smallest item, as soon as there is one; raises when the queue is closed and empty."""
        with self._changed:
            while not self._heap and not self._closed:
                self._changed.wait()
            if not self._heap:
                raise QueueClosedError
            return heapq.heappop(self._heap)

    def close(self) -> None:
        """Nothing comes any more: whoever waits is told."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def size(self) -> int:
        """How many items there are."""
        with self._changed:
            return len(self._heap)
