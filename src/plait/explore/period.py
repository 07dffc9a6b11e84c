"""Periodical scheduling: an execution is divided into periods, and every thread runs a part of its steps in each.

After PERIOD (Wen and others, 2022): the interesting steps of a thread (see `plait.explore.shared`) are cut into as many
parts as there are periods. In a period each thread in turn performs its part; threads that have to wait are skipped.
Two periods are tried before three, and so on. Few periods mean few preemptions, but each may involve all threads, so
two periods are enough even for a hundred threads.

All cuts for a number of periods are tried one by one, simple ones first: all threads cut alike; then all threads but
one cut alike and that one not at all; then only one thread cut; then one thread cut differently from the rest. In
addition, every third execution draws the cuts and the order of the threads at random, so that every interleaving is
possible. An execution whose interesting steps come in a known order changes nothing; after `_STALE` such executions the
number of periods is increased, even if some cuts were not tried.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from random import Random
from typing import TYPE_CHECKING

from plait.explore.shared import SharedSteps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.run.engine import Engine
    from plait.run.vthread import VThread

_STALE = 50  # executions without a new order before the number of periods grows
_RANDOM_EVERY = 3  # one execution in so many has random cuts
MOST_ORDERS = 50_000  # that are remembered

_Cuts = tuple[int, ...]  # for each period but the last one: after how many interesting steps of a thread it ends


class Period:
    """Periodical scheduling. It never ends; the same seed gives the same executions."""

    name = "period"

    def __init__(self, seed: int = 0) -> None:
        self.exhausted = False
        self.free = False
        self.periods = 1
        self._random = Random(seed)
        self._shared = SharedSteps()
        self._plans: Iterator[tuple[_Cuts, int, _Cuts]] = iter(())
        self._executions = self._stale = 0
        self._orders: set[int] = set()
        self._common: _Cuts = ()  # for all threads that are not in `_own`
        self._own: dict[int, _Cuts] = {}
        self._turns: dict[int, float] = {}  # the threads' order within a period; the thread's number if missing
        self._done: dict[int, int] = {}
        self._seen = self._period = 0
        self._current = -1

    def next_prefix(self) -> Sequence[int] | None:
        """Choose the next cuts for the current number of periods, or random ones."""
        self._shared.begin()
        self._done, self._seen, self._period, self._current = {}, 0, 0, -1
        self._own, self._turns = {}, {}
        self._executions += 1
        if self._executions % _RANDOM_EVERY == 0:
            self._draw()
        elif self._executions > 1:
            self._common, thread, own = self._next_plan()
            self._own = {thread: own}
        return ()

    def _next_plan(self) -> tuple[_Cuts, int, _Cuts]:
        if self._stale < _STALE:
            for plan in self._plans:
                return plan
        self._stale = 0
        self.periods += 1
        self._plans = self._made(self.periods)
        return next(self._plans, ((), 0, ()))

    def _made(self, periods: int) -> Iterator[tuple[_Cuts, int, _Cuts]]:
        """Yield all cuts for a number of periods; they depend on the steps counted so far."""
        totals = self._shared.totals
        longest = max(totals.values(), default=1)
        for common in combinations_with_replacement(range(1, longest), periods - 1):
            yield common, 0, common
        none = (longest + 1,) * (periods - 1)
        for common in combinations_with_replacement(range(1, longest), periods - 1):
            yield from ((common, thread, none) for thread in sorted(totals, reverse=True))
        for common in (none, *combinations_with_replacement(range(1, longest), periods - 1)):
            for thread in sorted(totals):
                for own in combinations_with_replacement(range(totals[thread]), periods - 1):
                    if own != common:
                        yield common, thread, own

    def _draw(self) -> None:
        """Draw cuts for each thread, and an order of the threads; there may be two periods more than `periods`."""
        totals, draw = self._shared.totals, self._random
        cuts = draw.randint(1, self.periods + 1)
        self._common = (0,) * cuts
        for thread in sorted(totals):
            self._own[thread] = tuple(sorted(draw.randint(0, totals[thread]) for _ in range(cuts)))
            self._turns[thread] = draw.random() * (max(totals) + 1)

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread whose turn it is in this period; threads before uninteresting steps run first."""
        self._count(engine)
        enabled = engine.enabled
        if len(enabled) == 1:
            return enabled[0]
        shared, threads = self._shared, engine.threads
        for number in enabled:
            thread = threads[number]
            if not shared.interesting(engine, thread.loc, thread.mode, thread.site):
                return number
        while True:
            able = [number for number in enabled if self._has_share(number)]
            if able:
                break
            self._period += 1
            self._current = -1
        if self._current not in able:
            self._current = min(able, key=lambda number: (self._turns.get(number, number), number))
        return self._current

    def _has_share(self, number: int) -> bool:
        cuts = self._own.get(number, self._common)
        return self._period >= len(cuts) or self._done.get(number, 0) < cuts[self._period]

    def _count(self, engine: Engine) -> None:
        trace, done = engine.trace, self._done
        for index in range(self._seen, len(trace)):
            thread, loc, mode, site = trace[index][:4]
            if thread >= 0 and self._shared.interesting(engine, loc, mode, site):
                done[thread] = done.get(thread, 0) + 1
        self._seen = len(trace)

    def executed(self, engine: Engine) -> None:
        """Count the interesting steps, and check whether their order is new."""
        self._shared.learn(engine)
        shared = self._shared
        order = hash(tuple(entry[0] for entry in engine.trace if shared.interesting(engine, *entry[1:4])))
        if order in self._orders:
            self._stale += 1
        elif len(self._orders) < MOST_ORDERS:
            self._orders.add(order)
            self._stale = 0
