"""BubbleSort: one thread per element walks once over a shared array and exchanges neighbours that are out of order.

No lock is taken: between a pass's comparison and its exchange, and within the exchange, other passes change the array.

As in the copy of the program that the paper's tools used: passes are a class of their own, there are as many as
elements, all are created, then started, then joined, and the test sorts three numbers. The array comes with its
monitor, as every object of Java does.
"""

import threading


class OneBubble:
    """One pass."""

    def __init__(self, values: list[int], monitor: threading.Lock) -> None:
        self.values = values
        self.monitor = monitor

    def run(self) -> None:
        """Walk once over the array."""
        for index in range(len(self.values) - 1):
            if self.values[index] > self.values[index + 1]:
                self.swap_consecutives(index)

    def swap_consecutives(self, index: int) -> None:
        """Exchange an element with its right neighbour."""
        left = self.values[index]
        self.values[index] = self.values[index + 1]
        self.values[index + 1] = left


class BubbleSort:
    """Sorts an array in place."""

    def __init__(self, values: list[int]) -> None:
        self.values = values
        self.monitor = threading.Lock()

    def sort(self) -> None:
        """Make as many passes as there are elements, at the same time."""
        bubbles = [threading.Thread(target=OneBubble(self.values, self.monitor).run) for _ in range(len(self.values))]
        for bubble in bubbles:
            bubble.start()
        for bubble in bubbles:
            bubble.join()
