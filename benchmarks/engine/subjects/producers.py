"""Producers and a consumer around the standard library's queue."""

import queue
from functools import partial


class Program:
    """Two producers of one item each; the consumer takes both."""

    def __init__(self) -> None:
        self.queue = queue.Queue()
        self.taken = []
        self.bodies = [partial(self.queue.put, "a"), partial(self.queue.put, "b"), self.consume]

    def consume(self) -> None:
        """Take two items."""
        for _ in range(2):
            self.taken.append(self.queue.get())

    def holds(self) -> bool:
        """Each item arrives once."""
        return sorted(self.taken) == ["a", "b"]
