"""A sorted set as a linked list: nodes are marked before they are unlinked, so that looking needs no lock."""

from __future__ import annotations

from math import inf

from benchmarks.atg.mutex import Mutex


class Node:
    """A key, a link, the mark of a deleted node, and a lock."""

    def __init__(self, key: float, following: Node | None = None) -> None:
        self.key = key
        self.next = following
        self.marked = False
        self.mutex = Mutex()


class LazyList:
    """A set of integers."""

    def __init__(self) -> None:
        self._head = Node(-inf, Node(inf))

    def insert(self, key: int) -> bool:
        """False if the key is there already."""
        while True:
            pred, curr = self._window(key)
            pred.mutex.lock()
            curr.mutex.lock()
            try:
                if self._valid(pred, curr):
                    if curr.key == key:
                        return False
                    pred.next = Node(key, curr)
                    return True
            finally:
                curr.mutex.unlock()
                pred.mutex.unlock()

    def remove(self, key: int) -> bool:
        """False if the key is not there."""
        while True:
            pred, curr = self._window(key)
            pred.mutex.lock()
            curr.mutex.lock()
            try:
                if self._valid(pred, curr):
                    if curr.key != key:
                        return False
                    curr.marked = True
                    pred.next = curr.next
                    return True
            finally:
                curr.mutex.unlock()
                pred.mutex.unlock()

    def contains(self, key: int) -> bool:
        """Without locks: a node that is marked is not there."""
        curr = self._head
        while curr.key < key:
            curr = curr.next
        return curr.key == key and not curr.marked

    def _window(self, key: int) -> tuple[Node, Node]:
        pred = self._head
        curr = pred.next
        while curr.key < key:
            pred, curr = curr, curr.next
        return pred, curr

    def _valid(self, pred: Node, curr: Node) -> bool:
        """Whether both nodes are still there, one behind the other."""
        return not pred.marked and not curr.marked and pred.next is curr
