"""Michael and Scott's queue: the tail is at most one node behind, and whoever finds it so helps it on.

Memory is managed by Python: no node is reused while somebody holds it, so there is no ABA problem.
"""

from __future__ import annotations

from benchmarks.atg.cell import AtomicCell


class Node:
    """A value and a link that is set once."""

    def __init__(self, value: int | None = None) -> None:
        self.value = value
        self.next = AtomicCell()


class MSQueue:
    """First in, first out; the node at the head is a dummy."""

    def __init__(self) -> None:
        dummy = Node()
        self._head = AtomicCell(dummy)
        self._tail = AtomicCell(dummy)

    def enqueue(self, value: int) -> None:
        """Link the node behind the last one, then swing the tail."""
        node = Node(value)
        while True:
            last = self._tail.get()
            following = last.next.get()
            if last is not self._tail.get():
                continue
            if following is not None:
                self._tail.compare_and_set(last, following)
            elif last.next.compare_and_set(None, node):
                break
        self._tail.compare_and_set(last, node)

    def dequeue(self) -> int | None:
        """Take the oldest value; None if there is none."""
        while True:
            first = self._head.get()
            last = self._tail.get()
            following = first.next.get()
            if first is not self._head.get():
                continue
            if first is last:
                if following is None:
                    return None
                self._tail.compare_and_set(last, following)
                continue
            value = following.value
            if self._head.compare_and_set(first, following):
                return value
