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
        self._priorities: dict[int, tuple[int, float]] = {}  # thread: its own step count, priority
        self._steps: dict[int, int] = {}
        self._seen = 0

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix: there is always one more."""
        self._priorities = {}
        self._steps = {}
        self._seen = 0
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the pending operation with the highest priority."""
        self._redraw(engine)
        best, best_priority = engine.enabled[0], -1.0
        for number in engine.enabled:
            priority = self._urgency(number)
            if priority > best_priority:
                best, best_priority = number, priority
        return best

    def _urgency(self, number: int) -> float:
        """Return that of a thread's pending operation, drawn when it is first asked for."""
        steps = self._steps.get(number, 0)
        known = self._priorities.get(number)
        if known is None or known[0] != steps:
            known = self._priorities[number] = (steps, self._random.random())
        return known[1]

    def _redraw(self, engine: Engine) -> None:
        roots = engine.heap.roots
        for thread, loc, mode, _site, _enabled, _after in engine.trace[self._seen :]:
            self._steps[thread] = self._steps.get(thread, 0) + 1
            for number in engine.enabled:
                other = engine.threads[number]
                if number != thread and roots[other.loc] == roots[loc] and dependent(mode, loc, other.mode, other.loc):
                    self._priorities.pop(number, None)
        self._seen = len(engine.trace)

    def executed(self, engine: Engine) -> None:
        """Nothing to learn."""
