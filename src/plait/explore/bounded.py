"""Partial-order reduction with a preemption bound: all behaviours that need at most ``bound`` preemptions.

A bound and a reduction cannot simply be combined: the execution that the reduction keeps for a class may need more
preemptions than another one that it skips. Coons, Musuvathi and McKinley (Bounded partial-order reduction, 2013)
restore what is lost with conservative points: for a race, the second thread is tried not only right before the first
step, where switching costs a preemption, but also at the start of the block of steps that contains it, where switching
costs nothing because a switch happens there anyway. Source sets and sleep sets replace an execution by an equivalent
one without regard to its cost, so neither is used here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.dpor import Dpor
from plait.explore.strategy import preemptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.explore.dpor import Sleep
    from plait.observe.happens import Step
    from plait.run.engine import Engine


class Bounded(Dpor):
    """The search of `Dpor`, limited to executions with at most ``bound`` preemptions."""

    name = "bounded"

    def __init__(self, bound: int) -> None:
        super().__init__()
        self.bound = bound
        self._spent: list[int] = []  # preemptions before each step

    @property
    def claim(self) -> str | None:
        """The set of schedules that the search has covered; None if it has not ended."""
        return f"all behaviours that need at most {preemptions(self.bound)}" if self.exhausted else None

    def next_prefix(self) -> Sequence[int] | None:
        """Return the schedule to the deepest state with an untried thread that the bound allows."""
        if not self._started:
            self._started = True
            return ()
        nodes = self._nodes
        while nodes:
            node = nodes[-1]
            number = len(nodes) - 1
            last = self._schedule[number - 1] if number else -1
            for thread in sorted(node.backtrack) if node is not None else ():
                if node is None or thread in node.done:
                    continue
                if self._spent[number] + (last != thread and last in node.enabled) <= self.bound:
                    return self._branch(node, thread)
            nodes.pop()
        self.exhausted = not self.diverged
        return None

    def _fall_asleep(self, sleep: Sleep) -> None:
        """Do nothing: this search has no sleep sets."""

    def executed(self, engine: Engine) -> None:
        """Count the preemptions before each step, then learn from the execution."""
        spent, last, cost = self._spent, -1, 0
        spent.clear()
        for thread, _loc, _mode, _site, enabled, _after in engine.trace:
            if enabled is None:
                continue
            spent.append(cost)
            if last != thread and last in enabled:
                cost += 1
            last = thread
        super().executed(engine)

    def _reverse(self, first: int, second: int, step: Step) -> None:
        """Try the second thread right before the first step, and at the start of the block that contains it."""
        steps = self._order.steps
        owner = steps[first][0]
        start = first
        while start and steps[start - 1][0] == owner:
            start -= 1
        alone = len(step[1]) == 1 and len(steps[first][1]) == 1
        self._ask(first, step[0], alone)
        if start != first:
            self._ask(start, step[0], alone)

    def _ask(self, number: int, thread: int, alone: bool = True) -> None:
        """Add a thread to try at a step; ``alone`` says that each racing step is one operation (see `Dpor`)."""
        node = self._at(number)
        if thread in node.enabled and alone and not self._gil:
            node.backtrack.add(thread)
        else:
            node.backtrack.update(node.enabled)
