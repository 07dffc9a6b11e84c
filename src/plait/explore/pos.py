"""Partial-order sampling: a random priority per pending operation, drawn anew for those that race with what was done.

The thread whose pending operation has the highest priority goes next. Redrawing only what depends on the last step
makes every order of racing operations likely, whatever the threads do in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from plait.run.engine import Engine
from plait.run.operations import dependent
from plait.run.vthread import VThread


class Pos:
    """Endless; the same seed gives the same executions."""

    name = "pos"

    def __init__(self, seed: int = 0) -> None:
        self.exhausted = False
        self.free = False
        self._random = Random(seed)
        self._priorities: dict[int, float] = {}  # of the threads' pending operations, as far as drawn
        self._seen = 0

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix: there is always one more."""
        self._priorities = {}
        self._seen = 0
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the pending operation with the highest priority."""
        self._redraw(engine)
        priorities = self._priorities
        best, highest = engine.enabled[0], -1.0
        for number in engine.enabled:
            priority = priorities.get(number)
            if priority is None:
                priority = priorities[number] = self._random.random()
            if priority > highest:
                best, highest = number, priority
        return best

    def _urgency(self, number: int) -> float:
        """Return that of a thread's pending operation, drawn when it is first asked for."""
        priority = self._priorities.get(number)
        if priority is None:
            priority = self._priorities[number] = self._random.random()
        return priority

    def _redraw(self, engine: Engine) -> None:
        """Forget the priorities of threads that have made a step, and of those whose operation depends on one."""
        trace, seen = engine.trace, self._seen
        length = len(trace)
        if length == seen:
            return
        roots, threads, enabled, priorities = engine.heap.roots, engine.threads, engine.enabled, self._priorities
        for at in range(seen, length):
            thread, loc, mode, _site, _enabled, _after = trace[at]
            if thread in priorities:
                del priorities[thread]
            root = roots[loc]
            for number in enabled:
                if number in priorities:  # the thread itself is not, by now
                    other = threads[number]
                    if roots[other.loc] == root and dependent(mode, loc, other.mode, other.loc):
                        del priorities[number]
        self._seen = length

    def executed(self, engine: Engine) -> None:
        """Learn nothing."""
