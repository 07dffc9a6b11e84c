"""Dining philosophers who all take the fork on their left first."""

import threading
from functools import partial


def dine(left: threading.Lock, right: threading.Lock) -> None:
    """Eat once."""
    with left, right:
        pass


class Program:
    """Philosophers around a table, one fork between each two of them."""

    def __init__(self, philosophers: int) -> None:
        forks = [threading.Lock() for _ in range(philosophers)]
        self.bodies = [partial(dine, fork, forks[(seat + 1) % philosophers]) for seat, fork in enumerate(forks)]

    def holds(self) -> bool:
        """Whoever finishes has done nothing wrong."""
        return True
