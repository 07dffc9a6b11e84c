"""The default search: several searches take turns, how often depends on the program.

No order of schedules is best for all programs. A search with reduction completes small programs, which is a proof, and
finds what is close to the schedule without preemptions; but in a large program its first thousands of schedules differ
in the last steps only. Samplers spread over the whole tree, and each has its own weakness. Reads-from guided sampling
finds faults that need a certain value to be seen, however many threads there are; the selectively uniform random walk
finds what most interleavings show; periodical scheduling finds what needs all threads to stop at the same point.

The first execution is the systematic search's schedule without preemptions. It shows how many threads there are, how
long an execution is, and how large the tree would be if every execution had as many choices (few, where threads wait
for each other). From then on each member has a weight, and the member with the fewest executions for its weight is
next. After some executions of the systematic search, its own progress shows whether it can be expected to end: if so,
its weight grows, otherwise it shrinks. What it claims at its end rests on its own executions alone, so other members
cannot invalidate it.

With a heuristic (see `plait.explore.capp`), schedules that preempt in impacted code come first, for a while without
other members.
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
LOOK_EVERY = 32  # executions of the systematic search between two checks of its progress
MANY_THREADS, LONG = 8, 2_000  # threads; steps of an execution
SMALL = 5.0  # the decimal logarithm of the size of a tree that the reduction can be expected to complete
_FORESEEABLE = 20_000  # the systematic search gets most executions if it is expected to need fewer than this


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

    # -- the result is that of the systematic search ----------------------------------------------------------------

    @property
    def claim(self) -> str | None:
        """What the systematic search has covered; None if nothing can be claimed."""
        return getattr(self._systematic, "claim", None)

    @property
    def bound(self) -> int | None:
        """The bound on preemptions that the claim is limited to; None if there is none."""
        return getattr(self._systematic, "bound", None)

    @property
    def divergence(self) -> Departure | None:
        """The first difference between executions of the same schedule; None if there is none."""
        return getattr(self._systematic, "divergence", None)

    def progress(self) -> float | None:
        """Return the explored fraction of the systematic search; None if unknown."""
        told = getattr(self._systematic, "progress", None)
        return None if told is None else float(told())

    # -- turns ------------------------------------------------------------------------------------------------------

    def next_prefix(self) -> Sequence[int] | None:
        """Return the prefix of the member whose turn it is; None when the systematic search has ended."""
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
        """Pass the execution to the member; adjust the weights now and then."""
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
        """Set the first weights, depending on what the first execution shows."""
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
        """Set the weights and restart the count of executions."""
        self._weights = [rff, surw, systematic, period]
        self._used = [0.0] * len(self._members)

    def _look(self) -> None:
        """Increase the weight of the systematic search if its end is foreseeable; otherwise decrease it."""
        covered = self.progress()
        if covered is None:
            return
        own = self._weights[2]
        done = self._executions
        left = float("inf") if covered <= 0 else done * (1 / covered - 1)
        own = min(own * 2, 64.0) if left < _FORESEEABLE else max(own / 2, 1.0)
        self._set(self._weights[0], self._weights[1], own, self._weights[3])


__all__ = ["Portfolio"]
