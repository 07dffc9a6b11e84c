"""A cyclic barrier by generations."""

import threading


class CyclicBarrier:
    """Makes threads wait until ``parties`` of them have come, again and again."""

    def __init__(self, parties: int = 2) -> None:
        if parties < 1:
            raise ValueError("parties must be positive")
        self._parties = parties
        self._arrived = 0
        self._generation = 0
        self._condition = threading.Condition()

    def wait(self) -> int:
        """Wait for the others; return how many had come before."""
        with self._condition:
            index = self._arrived
            generation = self._generation
            self._arrived += 1
            if self._arrived == self._parties:
                self._arrived = 0
                self._generation += 1
                self._condition.notify_all()
            else:
                while generation == self._generation:
                    self._condition.wait()
            return index

    @property
    def generation(self) -> int:
        with self._condition:
            return self._generation
