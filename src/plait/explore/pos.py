"""Partial-order sampling: each pending operation has a random priority, redrawn when it races with the last step.

The thread whose pending operation has the highest priority runs next. Because only the operations that depend on the
last step get new priorities, every order of racing operations is likely, whatever the threads do in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from plait.run.engine import Engine
from plait.run.operations import DEPENDS, SAME_KEY, dependent
from plait.run.vthread import VThread


class Pos:
    """Partial-order sampling. It never ends; the same seed gives the same executions."""

    name = "pos"

    def __init__(self, seed: int = 0) -> None:
        self.exhausted = False
        self.free = False
        self._random = Random(seed)
        self._priorities: dict[int, float] = {}  # by thread: of its pending operation, if drawn already
        self._seen = 0

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix; there is always another execution."""
        self._priorities = {}
        self._seen = 0
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread whose pending operation has the highest priority."""
        # Called at every point of a sampled execution. The common case, one step since the last call, is a single loop.
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
        """Return the priority of a thread's pending operation; draw it on the first call."""
        priority = self._priorities.get(number)
        if priority is None:
            priority = self._priorities[number] = self._random.random()
        return priority

    def _redraw(self, engine: Engine) -> None:
        """Forget the priorities of threads that made a step, and of those whose operation depends on such a step."""
        trace = engine.trace
        roots, threads, enabled, priorities = engine.heap.roots, engine.threads, engine.enabled, self._priorities
        for at in range(self._seen, len(trace)):
            thread, loc, mode, _site, _enabled, _after = trace[at]
            if thread in priorities:
                del priorities[thread]
            root = roots[loc]
            for number in enabled:
                if number in priorities:  # the thread itself was removed above
                    other = threads[number]
                    if roots[other.loc] == root and dependent(mode, loc, other.mode, other.loc):
                        del priorities[number]
        self._seen = len(trace)

    def executed(self, engine: Engine) -> None:
        """Do nothing: each execution is independent of the others."""
