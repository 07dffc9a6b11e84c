"""A failing schedule with few preemptions, because a person has to understand it.

First greedily: leave out a stretch of a thread, or let it run on instead of interrupting it, as long as the test still
fails in the same way and the schedule got cheaper. That ends in a local minimum, so then all schedules with one
preemption less are searched, as far as the budget goes, and whatever that finds is made smaller in turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.dfs import Dfs
from plait.judge.trial import Failure, Trial, modelled
from plait.model.schedule import Schedule, Segment
from plait.run.engine import ENGINE

if TYPE_CHECKING:
    from collections.abc import Iterator

ATTEMPTS = 400
BOUNDED = 1000  # executions for the search below the greedy minimum


def simplify(trial: Trial, failure: Failure) -> Failure:
    """The cheapest schedule found that fails like the given one."""
    best = _greedy(trial, failure)
    left = BOUNDED
    while best.preemptions and left > 0:
        better, left = _below(trial, best, left)
        if better is None:
            break
        best = _greedy(trial, better)
    return best


def _greedy(trial: Trial, failure: Failure) -> Failure:
    best = failure
    left = ATTEMPTS
    better: Failure | None = failure
    while better is not None:
        better = None
        for candidate in _candidates(best.schedule):
            if not left:
                return best
            left -= 1
            got, _lost = trial.replay(candidate)
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


def _below(trial: Trial, failure: Failure, left: int) -> tuple[Failure | None, int]:
    """A failure with fewer preemptions, and what is left of the budget."""
    schedule = failure.schedule
    with modelled(gil=schedule.gil, any_timeouts=schedule.any_timeouts):
        search = Dfs(failure.preemptions - 1)
        while left > 0 and (prefix := search.next_prefix()) is not None:
            left -= 1
            trial.execute(prefix, search, free=search.free)
            if trial.outcome.signature == failure.outcome.signature:
                return trial.failure(), left
            search.executed(ENGINE)
    return None, left
