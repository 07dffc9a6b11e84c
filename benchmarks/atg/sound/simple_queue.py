"""A linked queue under one lock."""

from __future__ import annotations

from benchmarks.atg.mutex import Mutex


class Node:
    """A value and a link."""

    def __init__(self, value: int | None = None) -> None:
        self.value = value
        self.next: Node | None = None


class SimpleQueue:
    """First in, first out; the node at the head is a dummy."""

    def __init__(self) -> None:
        self._head = self._tail = Node()
        self._count = 0
        self._mutex = Mutex()

    def enqueue(self, value: int) -> None:
        """Append a value."""
        node = Node(value)
        self._mutex.lock()
        tail = self._tail
        tail.next = node
        self._tail = node
        count = self._count
        self._count = count + 1
        self._mutex.unlock()

    def dequeue(self) -> int | None:
        """Take the oldest value; None if there is none."""
        self._mutex.lock()
        first = self._head.next
        if first is None:
            self._mutex.unlock()
            return None
        value = first.value
        self._head = first
        count = self._count
        self._count = count - 1
        self._mutex.unlock()
        return value

    def size(self) -> int:
        """How many values there are."""
        self._mutex.lock()
        count = self._count
        self._mutex.unlock()
        return count
