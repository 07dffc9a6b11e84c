"""A sorted set as a linked list: walk without locks, lock two nodes, check by walking again, change."""

from __future__ import annotations

from math import inf

from benchmarks.atg.mutex import Mutex


class Node:
    """A key, a link, and the lock that guards both links of a window."""

    def __init__(self, key: float, following: Node | None = None) -> None:
        self.key = key
        self.next = following
        self.mutex = Mutex()


class OptimisticList:
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
                    pred.next = curr.next
                    return True
            finally:
                curr.mutex.unlock()
                pred.mutex.unlock()

    def contains(self, key: int) -> bool:
        """Whether the key is there."""
        while True:
            pred, curr = self._window(key)
            pred.mutex.lock()
            curr.mutex.lock()
            try:
                if self._valid(pred, curr):
                    return curr.key == key
            finally:
                curr.mutex.unlock()
                pred.mutex.unlock()

    def _window(self, key: int) -> tuple[Node, Node]:
        pred = self._head
        curr = pred.next
        while curr.key < key:
            pred, curr = curr, curr.next
        return pred, curr

    def _valid(self, pred: Node, curr: Node) -> bool:
        """Whether the first node is still reachable and the second one still follows it."""
        node = self._head
        while node.key <= pred.key:
            if node is pred:
                return pred.next is curr
            node = node.next
        return False
