"""Selectively uniform random walk (SURW): all interleavings of the interesting steps are equally likely.

A plain random walk favours schedules in which short threads end early. If each thread is chosen with the number of its
remaining steps as its weight, all interleavings are equally likely. Only steps on locations that several threads touch
count; between them a thread simply runs on to its next interesting step. The numbers come from earlier executions, by
the number of the thread; the first execution only measures, and is a plain random walk.

Where threads share an executor or a queue, most of these steps are its own. So every second execution counts only
accesses in other code.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from plait.explore.shared import SharedSteps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine
    from plait.run.vthread import VThread


class Surw:
    """Selectively uniform random walk. It never ends; the same seed gives the same executions."""

    name = "surw"

    def __init__(self, seed: int = 0) -> None:
        self.exhausted = False
        self.free = False
        self._random = Random(seed)
        self._every = (SharedSteps(), SharedSteps(own=True))
        self._shared = self._every[0]
        self._executions = 0
        self._done: dict[int, int] = {}
        self._seen = 0
        self._target = -1  # the thread whose interesting step comes next

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix; there is always another execution."""
        own = self._every[1]
        narrower = bool(own.places) and own.places != self._every[0].places
        self._shared = own if narrower and self._executions % 2 else self._every[0]
        self._executions += 1
        self._shared.begin()
        self._done = {}
        self._seen = 0
        self._target = -1
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return a thread whose next step is not interesting, else the thread drawn for the next interesting step."""
        self._count(engine)
        enabled = engine.enabled
        if len(enabled) == 1:
            return enabled[0]
        if self._target not in enabled:
            self._target = self._draw(enabled)
        for number in enabled:
            thread = engine.threads[number]
            if number != self._target and not self._shared.interesting(engine, thread.loc, thread.mode, thread.site):
                return number  # it can go first: it touches nothing that others touch
        return self._target

    def _draw(self, enabled: Sequence[int]) -> int:
        totals, done = self._shared.totals, self._done
        left = [max(totals.get(number, 1) - done.get(number, 0), 1) for number in enabled]
        return self._random.choices(enabled, weights=left)[0]

    def _count(self, engine: Engine) -> None:
        trace = engine.trace
        for index in range(self._seen, len(trace)):
            thread, loc, mode, site = trace[index][:4]
            if thread >= 0 and self._shared.interesting(engine, loc, mode, site):
                self._done[thread] = self._done.get(thread, 0) + 1
                if thread == self._target:
                    self._target = -1
        self._seen = len(trace)

    def executed(self, engine: Engine) -> None:
        """Record which places several threads touch, and count the interesting steps."""
        for shared in self._every:
            shared.learn(engine)
