"""Behavioural checking: all outcomes of a test on one version, and the comparison of two versions' outcomes.

ConDiff, Figure 3, lines 18-24. Every class of equivalent interleavings is executed once (`plait.explore.dpor`). That
preserves all outcomes if everything that an outcome includes counts as read. A difference is proven if one version
shows an outcome that the other version, explored exhaustively, does not have.
"""

from __future__ import annotations

import time
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from plait.explore.capp.partition import Aim
from plait.explore.pos import Pos
from plait.explore.registry import make_strategy
from plait.explore.runner import execute, model
from plait.explore.strategy import Strategy
from plait.judge.difference.outcome import Outcome, View, Watch, atoms
from plait.model.schedule import Schedule
from plait.observe.recording import count_preemptions, schedule_of
from plait.run.endings import SetupFailedError
from plait.run.engine import (
    DEADLOCK,
    ENGINE,
    FINISHED_RUN,
    HANG,
)
from plait.run.testbed import Testbed

EXECUTIONS = 2000
SAMPLED = 150
_COUNTED = frozenset({FINISHED_RUN, DEADLOCK, HANG})


class Shown(NamedTuple):
    """One execution that shows an outcome."""

    schedule: Schedule
    preemptions: int


@dataclass(slots=True)
class Explored:
    """The outcomes of a test on one version; all of them if ``exhausted``.

    ``early`` are outcomes for which sleeps or time-outs end at any moment. An outcome among the other version's early
    ones is no difference.
    """

    outcomes: dict[Outcome, Shown] = field(default_factory=dict)
    exhausted: bool = False
    executions: int = 0
    diverged: bool = False
    timed: bool = False  # a thread slept, or waited with a time-out
    early: set[Outcome] = field(default_factory=set)
    early_exhausted: bool = False


def explore_outcomes(
    bed: Testbed,
    view: View,
    *,
    limit: int = EXECUTIONS,
    sampled: int = 0,
    seed: int = 0,
    deadline: float | None = None,
    allowed: Container[Outcome] | None = None,
    search: Strategy | None = None,
    order: str = "dpor",
    aim: Aim | None = None,
) -> Explored:
    """Return all outcomes, or those that ``limit`` executions show.

    ``allowed`` are the outcomes of another version that was explored exhaustively. The first outcome that is not among
    them proves the difference, and ends the exploration. A test that is too large for the limit is also ``sampled``, so
    many times. ``order`` names a systematic search; with ``aim``, schedules that preempt at impacted code come first.
    ``deadline`` is a value of `time.process_time`, so that the result does not depend on other load of the machine.
    """
    found = Explored()
    watch = Watch(bed, view)
    priority = None if aim is None else aim.prioritizer()
    strategy = make_strategy(order, seed, priority) if search is None else search
    try:
        over = _run(watch, strategy, limit, deadline, allowed, found)
        found.exhausted = strategy.exhausted and not over and not found.diverged
        found.diverged |= bool(getattr(strategy, "diverged", False))
        if not over and not found.exhausted and sampled:
            _run(watch, make_strategy(Pos.name, seed, priority), sampled, deadline, allowed, found)
        if found.timed and found.exhausted and not ENGINE.any_timeouts:
            _explore_early(watch, limit, seed, deadline, found)
    finally:
        bed.on_return = None
    return found


def _explore_early(watch: Watch, limit: int, seed: int, deadline: float | None, found: Explored) -> None:
    """Add the outcomes with sleeps that end early: that time passes only when nothing can run is a rule of plait."""
    early = Explored()
    strategy = make_strategy("dpor", seed, None)
    with model(gil=ENGINE.gil, any_timeouts=True):
        _run(watch, strategy, limit, deadline, None, early)
    found.early = set(early.outcomes)
    found.early_exhausted = strategy.exhausted and not early.diverged
    found.executions += early.executions


def _run(
    watch: Watch, strategy: Strategy, limit: int, deadline: float | None, allowed: Container[Outcome] | None,
    found: Explored,
) -> bool:  # fmt: skip
    """Execute until the strategy or the limit ends; return True if an outcome occurred that is not allowed."""
    outcomes: list[Outcome] = []
    bed = watch.bed
    for number in range(limit + 1):
        prefix = strategy.next_prefix()
        if prefix is None or number == limit:
            return False
        if deadline is not None and time.process_time() > deadline:
            return False
        try:
            status = execute(
                bed.prepare, prefix, strategy, free=strategy.free, finish=lambda: outcomes.append(watch.outcome())
            )
        except SetupFailedError:
            found.diverged = True
            return False
        strategy.executed(ENGINE)
        found.executions += 1
        found.timed |= ENGINE.time.timed
        outcome = outcomes.pop()
        if status not in _COUNTED:
            continue
        cost = count_preemptions(ENGINE.trace)
        known = found.outcomes.get(outcome)
        if known is None or cost < known.preemptions:
            found.outcomes[outcome] = Shown(schedule_of(ENGINE), cost)
        if allowed is not None and outcome not in allowed:
            return True
    return False


class Difference(NamedTuple):
    """The outcomes that only one version has. Each set counts only if the other version was explored exhaustively."""

    only_old: tuple[Outcome, ...]
    only_new: tuple[Outcome, ...]

    def __bool__(self) -> bool:
        return bool(self.only_old or self.only_new)


def compare(old: Explored, new: Explored) -> Difference:
    """Return the proven differences between the outcomes of two versions, by direction."""
    only_old, only_new = _beyond(old, new), _beyond(new, old)
    return Difference(only_old if new.exhausted else (), only_new if old.exhausted else ())


def _beyond(one: Explored, other: Explored) -> tuple[Outcome, ...]:
    """Return the outcomes of one version that the other does not have, even if its time-outs fire at any moment."""
    return tuple(each for each in one.outcomes if each not in other.outcomes and each not in other.early)


def conclusive(old: Explored, new: Explored) -> bool:
    """Return whether both versions were explored exhaustively, or a difference is proven."""
    return bool(compare(old, new)) or (old.exhausted and new.exhausted)


# -- passing states ----------------------------------------------------------------------------------------------------
# States that exist only for a moment: what a caller can read at or after the end of a call while others are running.
#
# A caller reads one attribute at a time, so attributes are compared one by one. The order in which a method writes two
# of them is an implementation detail; a value that an attribute has never had before is a difference.


Reading = tuple[int, str, Any]  # position of the call, attribute as a path, value


def passing_difference(old: Explored, new: Explored) -> Difference:
    """Return outcomes with a reading that the other version, explored exhaustively, never shows."""
    before = {each for outcome in old.outcomes for each in readings(outcome)}
    after = {each for outcome in new.outcomes for each in readings(outcome)}
    only_old = _with(old, before - after) if new.exhausted else ()
    only_new = _with(new, after - before) if old.exhausted else ()
    return Difference(only_old, only_new)


def _with(explored: Explored, wanted: set[Reading]) -> tuple[Outcome, ...]:
    return tuple(each for each in explored.outcomes if wanted.intersection(readings(each))) if wanted else ()


def readings(outcome: Outcome) -> Iterator[Reading]:
    """Yield what the caller of each call can read from the receiver after the call has returned."""
    for position, state in enumerate(outcome.exits):
        if state:
            yield from ((position, path, value) for path, value in atoms(state[0]))
