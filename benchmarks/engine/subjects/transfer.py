"""Two locks that two threads take in opposite orders."""

import threading
from functools import partial


def both(first: threading.Lock, second: threading.Lock) -> None:
    """Hold the two locks at once."""
    with first, second:
        pass


class Program:
    """AB-BA: one thread takes A, then B; the other takes B, then A."""

    def __init__(self) -> None:
        a, b = threading.Lock(), threading.Lock()
        self.bodies = [partial(both, a, b), partial(both, b, a)]

    def holds(self) -> bool:
        """Whoever finishes has done nothing wrong."""
        return True
