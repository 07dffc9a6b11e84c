"""Partial-order sampling: a random priority per pending operation, drawn anew for those that race with what was done.

The thread whose pending operation has the highest priority goes next. Redrawing only what depends on the last step
makes every order of racing operations likely, whatever the threads do in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from plait.run.engine import Engine
from plait.run.operations import DEPENDS, SAME_KEY, dependent
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
        # Called at every point of a sampled execution: what is common, one step since the last time, is one loop.
        trace, priorities, draw = engine.trace, self._priorities, self._random.random
        length = len(trace)
        steps = length - self._seen
        best, highest = -1, -1.0
        if steps == 1:
            self._seen = length
            entry = trace[-1]
            priorities.pop(entry[0], None)
            loc, relations, roots, threads = entry[1], DEPENDS[entry[2]], engine.heap.roots, engine.threads
            root = roots[loc]
            for number in engine.enabled:
                priority = priorities.get(number)
                if priority is not None:
                    other = threads[number]
                    if roots[other.loc] == root:
                        relation = relations[other.mode]
                        if relation and (relation != SAME_KEY or other.loc == loc):
                            priority = None
                if priority is None:
                    priority = priorities[number] = draw()
                if priority > highest:
                    best, highest = number, priority
            return best
        if steps:
            self._redraw(engine)
        for number in engine.enabled:
            priority = priorities.get(number)
            if priority is None:
                priority = priorities[number] = draw()
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
        trace = engine.trace
        roots, threads, enabled, priorities = engine.heap.roots, engine.threads, engine.enabled, self._priorities
        for at in range(self._seen, len(trace)):
            thread, loc, mode, _site, _enabled, _after = trace[at]
            if thread in priorities:
                del priorities[thread]
            root = roots[loc]
            for number in enabled:
                if number in priorities:  # the thread itself is not, by now
                    other = threads[number]
                    if roots[other.loc] == root and dependent(mode, loc, other.mode, other.loc):
                        del priorities[number]
        self._seen = len(trace)

    def executed(self, engine: Engine) -> None:
        """Learn nothing."""
