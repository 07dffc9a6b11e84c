"""A linked queue without locks: the tail may lag behind by any number of nodes and is only a hint where to append.

Memory is managed by Python: no node is reused while somebody holds it, so there is no ABA problem.
"""

from __future__ import annotations

from benchmarks.atg.cell import AtomicCell


class Node:
    """A value and a link that is set once."""

    def __init__(self, value: int | None = None) -> None:
        self.value = value
        self.next = AtomicCell()


class LockfreeQueue:
    """First in, first out; the node at the head is a dummy."""

    def __init__(self) -> None:
        dummy = Node()
        self._head = AtomicCell(dummy)
        self._tail = AtomicCell(dummy)

    def enqueue(self, value: int) -> None:
        """Append behind the last node, wherever the hint is."""
        node = Node(value)
        hint = self._tail.get()
        last = hint
        while not last.next.compare_and_set(None, node):
            last = last.next.get()
        self._tail.compare_and_set(hint, node)

    def dequeue(self) -> int | None:
        """Take the oldest value; None if there is none."""
        while True:
            head = self._head.get()
            first = head.next.get()
            if first is None:
                return None
            if self._head.compare_and_set(head, first):
                return first.value
