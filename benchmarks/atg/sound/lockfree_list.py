"""A sorted set as a linked list without locks: deleting marks a node's link, and whoever passes unlinks the node."""

from __future__ import annotations

from math import inf

from benchmarks.atg.cell import MarkedCell


class Node:
    """A key, and the link to the next node together with the mark that says that this node is deleted."""

    def __init__(self, key: float, following: Node | None = None) -> None:
        self.key = key
        self.next = MarkedCell(following)


class LockfreeList:
    """A set of integers."""

    def __init__(self) -> None:
        self._head = Node(-inf, Node(inf))

    def insert(self, key: int) -> bool:
        """False if the key is there already."""
        while True:
            pred, curr = self._find(key)
            if curr.key == key:
                return False
            node = Node(key, curr)
            if pred.next.compare_and_set(curr, node, False, False):
                return True

    def remove(self, key: int) -> bool:
        """False if the key is not there."""
        while True:
            pred, curr = self._find(key)
            if curr.key != key:
                return False
            succ, marked = curr.next.get()
            if marked:
                continue
            if not curr.next.compare_and_set(succ, succ, False, True):
                continue
            pred.next.compare_and_set(curr, succ, False, False)
            return True

    def contains(self, key: int) -> bool:
        """Passes deleted nodes without unlinking them."""
        curr, _ = self._head.next.get()
        while curr.key < key:
            curr, _ = curr.next.get()
        _, marked = curr.next.get()
        return curr.key == key and not marked

    def _find(self, key: int) -> tuple[Node, Node]:
        """The last node before the key and the first one not before it, with no deleted node between them."""
        while True:
            found = self._walk(key)
            if found is not None:
                return found

    def _walk(self, key: int) -> tuple[Node, Node] | None:
        pred = self._head
        curr, _ = pred.next.get()
        while True:
            succ, marked = curr.next.get()
            while marked:
                if not pred.next.compare_and_set(curr, succ, False, False):
                    return None
                curr = succ
                succ, marked = curr.next.get()
            if curr.key >= key:
                return pred, curr
            pred, curr = curr, succ
