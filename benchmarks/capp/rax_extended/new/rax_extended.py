"""RAXextended: agents of a space craft that tell each other of events.

An event counts its signals. An agent that has seen the last one waits for the next. The planner and the executive
test this without the event's lock: a signal between the test and the wait is lost. The planner's assertion is the
original's, whose tasks never stop, so that no deadlock of all threads could be seen. All loops are bounded: the
planner and the executive take turns a given number of times, the diagnosis is made once, and the two tasks write a
few times.
"""

import threading


class Event:
    """A count of signals that wraps, so that it stays small."""

    def __init__(self, wrap: int = 3) -> None:
        self.signalled = threading.Condition()
        self.wrap = wrap
        self.count = 0

    def wait_for_event(self) -> None:
        """Wait for the next signal."""
        with self.signalled:
            self.signalled.wait()

    def wait_if_seen(self, count: int) -> None:
        """Wait for the next signal, unless there was one since the count was read."""
        with self.signalled:
            if count == self.count:
                self.signalled.wait()

    def signal_event(self) -> None:
        """Count a signal and wake all who wait for it."""
        with self.signalled:
            count = self.count
            self.count = (count + 1) % self.wrap
            self.signalled.notify_all()


class Craft:
    """What the agents share."""

    def __init__(self) -> None:
        self.plan = Event()
        self.exec_ = Event()
        self.plans_made = 0
        self.tokens_executed = 0
        self.repairs = 0
        self.cell = 0


def planner(craft: Craft, rounds: int) -> None:
    """Make a plan whenever one is asked for, and tell the executive."""
    count = 0
    for _ in range(rounds):
        if count == craft.plan.count:
            assert count == craft.plan.count, "a plan was asked for before the planner began to wait"
            craft.plan.wait_for_event()
        count = craft.plan.count
        craft.plans_made = craft.plans_made + 1
        craft.exec_.signal_event()


def executive(craft: Craft, rounds: int, tokens: int = 5) -> None:
    """Ask for a plan and execute its tokens."""
    count = 0
    for _ in range(rounds):
        craft.plan.signal_event()
        if count == craft.exec_.count:
            craft.exec_.wait_for_event()
        count = craft.exec_.count
        for _ in range(tokens):
            craft.tokens_executed = craft.tokens_executed + 1


def diagnosis(craft: Craft) -> None:
    """Repair something after the first plan was made."""
    craft.exec_.wait_if_seen(0)
    craft.repairs = craft.repairs + 1


def task(craft: Craft, value: int, writes: int = 2) -> None:
    """Write into a cell that all tasks share."""
    for _ in range(writes):
        craft.cell = value
