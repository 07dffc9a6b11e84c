"""Programs with a known number of inequivalent schedules, straight on the hooks and primitives."""

from __future__ import annotations

from plait.run.hooks import access
from plait.run.primitives.condition import Condition
from plait.run.primitives.lock import Lock


class Box:
    def __init__(self, **fields):
        self.__dict__.update(fields)


def _increment(box):
    value = access.read(box, "n", 1).n
    access.write(box, "n", 2).n = value + 1


def counter(threads, times):
    def prepare():
        box = Box(n=0)

        def body():
            for _ in range(times):
                _increment(box)

        return [body] * threads

    return prepare


def locked_counter(threads, times):
    def prepare():
        box, lock = Box(n=0), Lock()

        def body():
            for _ in range(times):
                with lock:
                    _increment(box)

        return [body] * threads

    return prepare


def account():
    """Two withdrawals, each a check and an update, as in ConDiff's second figure."""
    box = Box(n=100)

    def withdraw():
        if access.read(box, "n", 1).n >= 10:
            access.write(box, "n", 2).n = 90

    return [withdraw, withdraw]


def opposite_locks():
    first, second = Lock(), Lock()

    def one():
        with first, second:
            pass

    def other():
        with second, first:
            pass

    return [one, other]


def philosophers(count):
    def prepare():
        forks = [Lock() for _ in range(count)]

        def body(seat):
            def dine():
                with forks[seat], forks[(seat + 1) % count]:
                    pass

            return dine

        return [body(seat) for seat in range(count)]

    return prepare


def lock_orders(seen):
    """Two threads take one lock three times each; the order in which they got it goes to ``seen``."""

    def prepare():
        lock, order = Lock(), []
        seen.append(order)

        def body(name):
            def run():
                for _ in range(3):
                    with lock:
                        order.append(access.call(order, "append", 1, name))

            return run

        return [body("a"), body("b")]

    return prepare


def lost_wakeup(*, waiter_first):
    """The waiter looks at the flag before it takes the lock: a notification in between is lost."""

    def prepare():
        box, condition = Box(ready=False), Condition()

        def waiter():
            if not access.read(box, "ready", 1).ready:
                with condition:
                    condition.wait()

        def notifier():
            access.write(box, "ready", 2).ready = True
            with condition:
                condition.notify()

        return [waiter, notifier] if waiter_first else [notifier, waiter]

    return prepare
