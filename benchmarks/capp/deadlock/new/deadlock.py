"""Deadlock: two threads that need the same two locks, and take them in opposite orders."""

import threading


class Shared:
    """Two locks, and a counter that none of them guards."""

    def __init__(self) -> None:
        self.lock1 = threading.Lock()
        self.lock2 = threading.Lock()
        self.count = 0


def first_worker(shared: Shared) -> None:
    """Count before and inside both locks."""
    shared.count = shared.count + 1
    with shared.lock1, shared.lock2:
        shared.count = shared.count + 1


def second_worker(shared: Shared) -> None:
    """Count before and inside both locks."""
    shared.count = shared.count + 1
    with shared.lock2, shared.lock1:
        shared.count = shared.count + 1
