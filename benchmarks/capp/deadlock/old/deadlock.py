"""Deadlock: two threads that need the same two locks, and take them in the same order.

As in the original: the locks and a counter that none of them guards belong to a class, the main program makes the
locks, and each thread's program is a class of its own.
"""

import threading


class Deadlock:
    """What the two processes share."""

    lock1: threading.Lock
    lock2: threading.Lock
    state = 0


class Process1:
    """Counts before and inside both locks."""

    def run(self) -> None:
        """What the first thread does."""
        Deadlock.state = Deadlock.state + 1
        with Deadlock.lock1:
            with Deadlock.lock2:
                Deadlock.state = Deadlock.state + 1


class Process2:
    """Counts before and inside both locks."""

    def run(self) -> None:
        """What the second thread does."""
        Deadlock.state = Deadlock.state + 1
        with Deadlock.lock1:
            with Deadlock.lock2:
                Deadlock.state = Deadlock.state + 1
