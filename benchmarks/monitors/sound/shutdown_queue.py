"""A queue that can be closed: what is in it can still be taken."""

import collections
import threading


class Closed(Exception):
    """The queue takes nothing more, and nothing is left in it."""


class ClosableQueue:
    """An unbounded queue with an end."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._items: collections.deque = collections.deque()
        self._closed = False

    def put(self, item) -> None:
        """Append an item."""
        with self._condition:
            if self._closed:
                raise Closed
            self._items.append(item)
            self._condition.notify()

    def get(self, block: bool = True, timeout=None):
        """The next item; wait for it if ``block``. `Closed` if there will be none, TimeoutError if there is none."""
        with self._condition:
            if not block and not self._items and not self._closed:
                raise TimeoutError
            while not self._items and not self._closed:
                if not self._condition.wait(timeout):
                    raise TimeoutError
            if self._items:
                return self._items.popleft()
            raise Closed

    def close(self) -> None:
        """Take no more items; whoever waits for one is told."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
