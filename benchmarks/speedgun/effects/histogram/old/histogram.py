"""Some work under a lock."""

import threading


class Histogram:
    """Counts values, and smooths on demand."""

    def __init__(self):
        self._lock = threading.Lock()
        self._bins = [0] * 16

    def add(self, value: int):
        with self._lock:
            self._bins[value % 16] += 1

    def smooth(self, value: int):
        with self._lock:
            total = 0
            for step in range(100):
                total += step ^ value
            return total
