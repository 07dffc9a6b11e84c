"""BubbleSort: one thread per pass over a shared array.

Two neighbours are compared and swapped under the lock.
"""

import threading


class BubbleSort:
    """An array that several passes sort together."""

    def __init__(self, values: list[int]) -> None:
        self.lock = threading.Lock()
        self.values = list(values)

    def swap_if_needed(self, index: int) -> None:
        """Exchange an element with its right neighbour, if they are out of order."""
        with self.lock:
            if self.values[index] > self.values[index + 1]:
                left = self.values[index]
                self.values[index] = self.values[index + 1]
                self.values[index + 1] = left

    def sort_pass(self) -> None:
        """Walk once over the array."""
        for index in range(len(self.values) - 1):
            self.swap_if_needed(index)
