"""BubbleSort: one thread per pass over a shared array.

The test whether two neighbours are in order is made without the lock, and the swap under the lock does not repeat it:
two passes that saw the same pair swap it twice.
"""

import threading


class BubbleSort:
    """An array that several passes sort together."""

    def __init__(self, values: list[int]) -> None:
        self.lock = threading.Lock()
        self.values = list(values)

    def swap(self, index: int) -> None:
        """Exchange an element with its right neighbour."""
        with self.lock:
            left = self.values[index]
            self.values[index] = self.values[index + 1]
            self.values[index + 1] = left

    def sort_pass(self) -> None:
        """Walk once over the array."""
        for index in range(len(self.values) - 1):
            if self.values[index] > self.values[index + 1]:
                self.swap(index)
