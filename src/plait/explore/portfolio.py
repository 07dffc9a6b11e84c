"""The search that `plait explore` makes if none is named: several take turns, how often depends on the program.

No order of schedules is best for all programs. Reduction comes to the end of small ones, which is a proof, and finds
what lies near the plain order; but its first thousands of schedules of a large program differ in the last steps only.
Samplers spread over the whole tree, and each has its own blind spots: reads-from guided sampling finds what needs a
certain value seen, however many threads there are; the selectively uniform walk what most interleavings show; periods
what needs all threads to stop at the same point.

The first execution is the plain one of the systematic search. It tells how many threads there are, how long an
execution is, and how large the tree would be if every execution had as many choices (where threads wait for each other
there are few). From then on each member has a weight, and whoever has had the least for its weight is next. When the
systematic search has run for a while, its own account of what it has covered says whether its end can be expected: if
so, it gets more and more of the executions, and if not, fewer. What it claims at its end is its own claim, made from
its own executions alone: the others cannot take anything away from it.

With a heuristic (see `plait.explore.capp`), schedules that preempt in impacted code come first, alone for a while.
"""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING

from plait.explore.dpor import Dpor
from plait.explore.period import Period
from plait.explore.rff import Rff
from plait.explore.surw import Surw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.explore.replay import Departure
    from plait.explore.strategy import Strategy
    from plait.run.engine import Engine
    from plait.run.vthread import VThread

ALONE = 100  # executions of a search with a heuristic before others take turns with it
LOOK_EVERY = 32  # executions of the systematic search between two looks at how far it is
MANY_THREADS, LONG = 8, 2_000
SMALL = 5.0  # the decimal logarithm of a tree of schedules that the reduction can be expected to go through at once
FORESEEABLE = 20_000  # executions that a systematic search may still need to be worth most of the time


class Portfolio:
    """Ends when its systematic member does; the same seed gives the same executions."""

    name = "auto"

    def __init__(self, seed: int = 0, systematic: Strategy | None = None) -> None:
        self.exhausted = False
        self.free = True
        self.transitions = 0
        self._systematic: Strategy = Dpor() if systematic is None else systematic
        self._alone = 0 if systematic is None else ALONE
        self._members: list[Strategy] = [Rff(seed), Surw(seed), self._systematic, Period(seed)]
        self._weights = [0.0, 0.0, 1.0, 0.0]
        self._used = [0.0] * len(self._members)
        self._turn = self._systematic
        self._executions = self._looked = 0

    # -- the account is that of the systematic search ---------------------------------------------------------------

    @property
    def claim(self) -> str | None:
        """What is covered for certain."""
        return getattr(self._systematic, "claim", None)

    @property
    def bound(self) -> int | None:
        """The most preemptions of what is claimed."""
        return getattr(self._systematic, "bound", None)

    @property
    def divergence(self) -> Departure | None:
        """Where a schedule was not followed as before."""
        return getattr(self._systematic, "divergence", None)

    def progress(self) -> float | None:
        """Return the part of the systematic search that is done; None if it does not know."""
        told = getattr(self._systematic, "progress", None)
        return None if told is None else float(told())

    # -- turns ------------------------------------------------------------------------------------------------------

    def next_prefix(self) -> Sequence[int] | None:
        """Return the beginning of the next execution of the member whose turn it is; None when all is covered."""
        number = self._next()
        self._turn = self._members[number]
        self._used[number] += 1
        self.free = self._turn.free
        prefix = self._turn.next_prefix()
        self.exhausted = self._systematic.exhausted
        return prefix

    def _next(self) -> int:
        if self._executions <= self._alone:
            return self._members.index(self._systematic)
        able = [number for number, weight in enumerate(self._weights) if weight]
        return min(able, key=lambda number: (self._used[number] + 1) / self._weights[number])

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the choice of the member whose turn it is."""
        return self._turn.choose(engine, current)

    def executed(self, engine: Engine) -> None:
        """Tell the member, and now and then weigh all of them anew."""
        self._turn.executed(engine)
        self.transitions += engine.step
        self._executions += 1
        if self._executions == 1:
            self._weigh(engine)
        elif self._turn is self._systematic:
            self._looked += 1
            if self._looked >= LOOK_EVERY:
                self._looked = 0
                self._look()

    def _weigh(self, engine: Engine) -> None:
        """Give the first weights, by what one execution shows."""
        if self._alone:
            self._set(1, 0.5, 4, 0.5)
            return
        tree = sum(log10(len(entry[4])) for entry in engine.trace if entry[4])
        if len(engine.threads) - 1 > MANY_THREADS or engine.step > LONG:
            self._set(4, 2, 1, 1)
        elif tree < SMALL:
            self._set(2, 2, 4, 0.5)
        else:
            self._set(3, 2, 3, 0.5)

    def _set(self, rff: float, surw: float, systematic: float, period: float) -> None:
        """Set weights; what was used before no longer counts."""
        self._weights = [rff, surw, systematic, period]
        self._used = [0.0] * len(self._members)

    def _look(self) -> None:
        """Give the systematic search more if its end is in sight, and less if it is not."""
        covered = self.progress()
        if covered is None:
            return
        own = self._weights[2]
        done = self._executions
        left = float("inf") if covered <= 0 else done * (1 / covered - 1)
        own = min(own * 2, 64.0) if left < FORESEEABLE else max(own / 2, 1.0)
        self._set(self._weights[0], self._weights[1], own, self._weights[3])


__all__ = ["Portfolio"]
