"""Selectively uniform random walk: interleavings of the interesting steps are equally likely.

A random walk favours schedules in which a short thread is done early. Choosing each thread with a weight of the steps
it has left makes all interleavings equally likely instead. Only steps on locations that several threads
touch count; between them a thread just runs on to its next interesting one. The counts come from the executions so far
(the first one measures, and is a plain random walk), per thread as it is started.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from plait.run.operations import LOCAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine
    from plait.run.vthread import VThread

Place = tuple[str, object]  # what a location is called in every execution


class Surw:
    """Endless; the same seed gives the same executions."""

    name = "surw"

    def __init__(self, seed: int = 0) -> None:
        self.exhausted = False
        self.free = False
        self._random = Random(seed)
        self._shared: set[Place] = set()
        self._totals: dict[int, int] = {}  # interesting steps of a thread in the longest execution
        self._done: dict[int, int] = {}
        self._seen = 0
        self._target = -1  # the thread whose interesting step comes next

    def next_prefix(self) -> Sequence[int] | None:
        """Always one more."""
        self._done = {}
        self._seen = 0
        self._target = -1
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return a thread in front of nothing interesting runs on; else draw whose interesting step comes next."""
        self._count(engine)
        enabled = engine.enabled
        if len(enabled) == 1:
            return enabled[0]
        if self._target not in enabled:
            self._target = self._draw(enabled)
        for number in enabled:
            if not self._interesting(engine, number) and number != self._target:
                return number  # free to go first: it does not touch what the others touch
        return self._target

    def _draw(self, enabled: Sequence[int]) -> int:
        left = [max(self._totals.get(number, 1) - self._done.get(number, 0), 1) for number in enabled]
        return self._random.choices(enabled, weights=left)[0]

    def _interesting(self, engine: Engine, number: int) -> bool:
        thread = engine.threads[number]
        if thread.mode == LOCAL:
            return False
        return not self._shared or _place(engine, thread.loc) in self._shared

    def _count(self, engine: Engine) -> None:
        for thread, loc, mode, _site, _enabled, _after in engine.trace[self._seen :]:
            if thread >= 0 and mode != LOCAL and (not self._shared or _place(engine, loc) in self._shared):
                self._done[thread] = self._done.get(thread, 0) + 1
                if thread == self._target:
                    self._target = -1
        self._seen = len(engine.trace)

    def executed(self, engine: Engine) -> None:
        """Note which places several threads touch, and how often."""
        touched: dict[Place, set[int]] = {}
        counts: dict[int, int] = {}
        for thread, loc, mode, _site, _enabled, _after in engine.trace:
            if thread >= 0 and mode != LOCAL:
                touched.setdefault(_place(engine, loc), set()).add(thread)
        self._shared.update(place for place, threads in touched.items() if len(threads) > 1)
        for thread, loc, mode, _site, _enabled, _after in engine.trace:
            if thread >= 0 and mode != LOCAL and (not self._shared or _place(engine, loc) in self._shared):
                counts[thread] = counts.get(thread, 0) + 1
        for thread, count in counts.items():
            self._totals[thread] = max(self._totals.get(thread, 0), count)


def _place(engine: Engine, loc: int) -> Place:
    obj, name = engine.heap.locs[engine.heap.roots[loc]]
    return (obj if type(obj) is str else type(obj).__qualname__), name if type(name) in (str, int) else None
