"""A stack without locks that backs off into an exchange: a push and a pop that meet there leave the top alone."""

from __future__ import annotations

from benchmarks.atg.cell import AtomicCell

PATIENCE = 2  # looks at the exchange before an offer is withdrawn


class Node:
    """A value and what lies below it."""

    def __init__(self, value: int) -> None:
        self.value = value
        self.below: Node | None = None


class BackoffStack:
    """Last in, first out."""

    def __init__(self) -> None:
        self._top = AtomicCell()
        self._exchange = AtomicCell()

    def push(self, value: int) -> None:
        """Put a value on top, or hand it to a pop that also found the top busy."""
        node = Node(value)
        while True:
            top = self._top.get()
            node.below = top
            if self._top.compare_and_set(top, node) or self._offered(node):
                return

    def pop(self) -> int | None:
        """Take the value on top; None if there is none."""
        while True:
            top = self._top.get()
            if top is None:
                return None
            if self._top.compare_and_set(top, top.below):
                return top.value
            offer = self._exchange.get()
            if offer is not None and self._exchange.compare_and_set(offer, None):
                return offer.value

    def _offered(self, node: Node) -> bool:
        """Whether somebody took the node out of the exchange."""
        if not self._exchange.compare_and_set(None, node):
            return False
        for _ in range(PATIENCE):
            if self._exchange.get() is not node:
                return True
        return not self._exchange.compare_and_set(node, None)
