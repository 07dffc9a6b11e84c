"""Simplifies a failing schedule of a hand-written test: few preemptions, so that a person can understand it.

The first phase is greedy: leave out a segment of the schedule, or let its thread run on instead of interrupting it, as
long as the test still fails in the same way and the schedule gets cheaper. This ends in a local minimum. Then all
schedules with fewer preemptions are searched, as far as the budget goes, and a failure found there is simplified in
turn.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from plait.explore.dfs import Dfs
from plait.explore.runner import model
from plait.judge.handwritten.trial import Failure, Trial
from plait.model.schedule import Schedule, Segment
from plait.run.engine import ENGINE

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = 300_000  # budget for all attempts together; an execution that hangs uses much of it


class _Purse:
    """The budget of a simplification, in steps and time."""

    def __init__(self, until: float | None) -> None:
        self.left = STEPS
        self._until = until

    def pay(self) -> None:
        """Charge the last execution to the budget."""
        self.left -= 50 + ENGINE.step + sum(thread.turns for thread in ENGINE.threads) // 20
        if self._until is not None and time.perf_counter() > self._until:
            self.left = 0


def simplify(trial: Trial, failure: Failure, *, until: float | None = None) -> Failure:
    """Return the cheapest schedule found that fails in the same way.

    ``until`` is the value of `time.perf_counter` at which to stop.
    """
    purse = _Purse(until)
    best = _greedy(trial, failure, purse)
    while best.preemptions:
        better = _below(trial, best, purse)
        if better is None:
            break
        best = _greedy(trial, better, purse)
    return best


def _greedy(trial: Trial, failure: Failure, purse: _Purse) -> Failure:
    best = failure
    better: Failure | None = failure
    while better is not None:
        better = None
        for candidate in _candidates(best.schedule):
            if purse.left <= 0:
                return best
            got, _lost = trial.replay(candidate)
            purse.pay()
            if got.outcome.signature == best.outcome.signature and got.cost < best.cost:
                best = better = got
                break
    return best


def _candidates(schedule: Schedule) -> Iterator[Schedule]:
    segments = schedule.segments
    for index, segment in enumerate(segments):
        yield _with(schedule, (*segments[:index], *segments[index + 1 :]))
        if segment.until is not None:
            yield _with(schedule, (*segments[:index], Segment(segment.thread), *segments[index + 1 :]))


def _with(schedule: Schedule, segments: tuple[Segment, ...]) -> Schedule:
    return Schedule(segments, schedule.gil, schedule.any_timeouts)


def _below(trial: Trial, failure: Failure, purse: _Purse) -> Failure | None:
    """Return a failure of the same kind with fewer preemptions, or None."""
    schedule = failure.schedule
    with model(gil=schedule.gil, any_timeouts=schedule.any_timeouts):
        search = Dfs(failure.preemptions - 1)
        while purse.left > 0 and (prefix := search.next_prefix()) is not None:
            trial.execute(prefix, search, free=search.free)
            purse.pay()
            if trial.outcome.signature == failure.outcome.signature:
                return trial.failure()
            search.executed(ENGINE)
    return None
