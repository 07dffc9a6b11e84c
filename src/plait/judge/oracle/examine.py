"""Runs and judges many executions of one generated test: systematically while it is small, otherwise by sampling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from plait.explore.active.testing import ActiveTest, profile
from plait.explore.capp.dpor import CappDpor
from plait.explore.capp.partition import Aim
from plait.explore.capp.pos import CappPos
from plait.explore.dpor import Dpor
from plait.explore.holding import Holding
from plait.explore.pct import Pct
from plait.explore.pos import Pos
from plait.explore.random_walk import RandomWalk
from plait.explore.registry import make_strategy
from plait.explore.runner import execute
from plait.explore.strategy import Strategy
from plait.judge.oracle.evidence import Evidence
from plait.judge.oracle.lazy import LazyJudge
from plait.judge.oracle.safety import Examination, Violation
from plait.model.schedule import Schedule
from plait.model.test import Test
from plait.observe.iroots import Sighting, sight
from plait.observe.overlap import overlaps
from plait.observe.racing import unguarded
from plait.observe.recording import count_preemptions, schedule_of
from plait.run.engine import ENGINE, HANG, Engine

SYSTEMATIC = 250  # executions of DPOR before sampling takes over
SAMPLED = 60
_PASSES = 3  # more executions per call of the longest thread, for pairs that did not overlap in the first one
_MAX_HANGS = 3  # executions that reach the step limit; each costs as much as hundreds of others


@dataclass(slots=True)
class Examined:
    """The result of examining a test."""

    executions: int = 0
    conflicts: bool = False  # threads touch something in common, so the order of their steps matters
    unguarded: bool = False  # they do so without a common lock
    exhausted: bool = False
    diverged: bool = False
    violation: Violation | None = None
    schedule: Schedule | None = None
    preemptions: int = 0
    others: list[tuple[Violation, Schedule]] = field(default_factory=list)  # look different from the first
    covered: Counter[tuple[str, str]] = field(default_factory=Counter)
    wanted: Callable[[Violation], bool] | None = None
    hangs: int = 0
    timed: bool = False  # calls wait with time-outs, so it matters when these may fire
    polls: bool = False  # an execution had no end: trying its waits with other time-outs would take too long
    error: Exception | None = None  # the error that ended the search after the violation was found
    evidence: Evidence = field(default_factory=Evidence)
    lazy: LazyJudge | None = None  # set as long as single orders were enough to accept executions

    @property
    def violations(self) -> list[tuple[Violation, Schedule]]:
        """The first violation and those that look different from it, each with its schedule."""
        if self.violation is None or self.schedule is None:
            return []
        return [(self.violation, self.schedule), *self.others]


def examine(
    examination: Examination,
    *,
    seed: int = 0,
    systematic: int = SYSTEMATIC,
    sampled: int = SAMPLED,
    public: Container[str] = (),
    order: str | None = None,
    aim: Aim | None = None,
    further: int = 0,
    wanted: Callable[[Violation], bool] | None = None,
) -> Examined:
    """Execute until a violation is found, all classes of schedules are covered, or a limit is reached.

    After a violation, ``further`` random executions look for violations that look different: a fault that shows in most
    schedules must not hide one that shows in few. Violations that are not ``wanted`` are ignored.

    A test whose threads touch nothing in common needs one execution and no specification. ``order`` names a search (see
    `plait.explore.registry`) to use instead of DPOR followed by samples. With ``aim``, schedules that preempt at
    impacted code come first.
    """
    found = Examined(wanted=wanted)
    try:
        _examine(examination, found, seed, systematic, sampled, public, order, aim)
        if found.violation is not None:
            _look_further(examination, found, seed, further)
    except Exception as error:
        if found.violation is None:
            raise
        found.error = error
    return found


def _look_further(examination: Examination, found: Examined, seed: int, further: int) -> None:
    """Run ``further`` random executions, to find violations that look different from the first one."""
    # A random walk switches all the time. Many faults need one switch at the right place, and none for long after it.
    one_switch = Pct(2, seed)
    one_switch.executed(ENGINE)
    searches: list[Strategy] = [RandomWalk(seed), one_switch]
    for number in range(further):
        search = searches[number % 2]
        _once(examination, search, search.next_prefix() or (), found)


def _examine(
    examination: Examination, found: Examined, seed: int, systematic: int, sampled: int, public: Container[str],
    order: str | None, aim: Aim | None,
) -> None:  # fmt: skip
    search = Dpor()
    prefix = search.next_prefix()
    assert prefix is not None
    execute(examination.bed.prepare, prefix, search, free=search.free)  # one thread after the other: a serial execution
    search.executed(ENGINE)
    found.executions = 1
    found.timed, found.polls = ENGINE.time.timed, ENGINE.status == HANG
    alternated = _alternated(ENGINE)
    following = search.next_prefix()
    found.unguarded = following is not None and unguarded(ENGINE)
    if public:
        _cover(examination, found, seed, public)
    if following is None and not alternated:
        found.exhausted = search.exhausted
        return
    found.conflicts = True
    lazy = LazyJudge(examination) if order != "active" else None
    if lazy is not None and lazy.begin():
        found.lazy = lazy
    elif not examination.specification.complete:
        return
    if order == "active":
        _active(examination, found, seed, systematic + sampled)
        return
    priority = None if aim is None else aim.prioritizer()
    if order is not None:
        _search(examination, make_strategy(order, seed, priority), found, systematic + sampled)
        return
    if priority is not None:
        search = CappDpor(priority)
        following = search.next_prefix()
    if alternated:  # one thread had to wait for another: that was no order of whole calls, and has not been judged
        first = Dpor()
        if _once(examination, first, first.next_prefix() or (), found):
            return
    while following is not None and found.executions < systematic:
        if _once(examination, search, following, found):
            return
        following = search.next_prefix()
    found.exhausted = following is None and search.exhausted
    found.diverged = search.diverged
    if following is not None:
        sample = Pos(seed) if priority is None else CappPos(priority, seed)
        for _ in range(sampled):
            start = sample.next_prefix()
            if start is None or _once(examination, sample, start, found):
                break


def _alternated(engine: Engine) -> bool:
    """Return whether threads alternated in the execution that has just ended, or were left waiting."""
    threads = [entry[0] for entry in engine.trace if entry[0] >= 0]
    changes = sum(one != other for one, other in pairwise(threads))
    return bool(engine.pending) or changes >= len(set(threads))


def _search(examination: Examination, search: Strategy, found: Examined, limit: int) -> None:
    while found.executions < limit:
        prefix = search.next_prefix()
        if prefix is None:
            found.exhausted = search.exhausted
            return
        if _once(examination, search, prefix, found):
            return


def _active(examination: Examination, found: Examined, seed: int, limit: int) -> None:
    """Force each instance that profiling predicts (`plait.explore.active.testing`)."""

    def execute(strategy: Strategy, predict: bool) -> Sighting | None:
        if found.violation is not None or found.executions >= limit:
            return None
        sightings: list[Sighting] = []
        _once(
            examination, strategy, strategy.next_prefix() or (), found,
            lambda: sightings.append(sight(ENGINE, examination.bed, predict=predict)),
        )  # fmt: skip
        return sightings[0]

    seen = profile(execute, threads=len(examination.bed.test.suffixes), seed=seed)
    ActiveTest(execute, seen, lambda _instance: True).run()


def _cover(examination: Examination, found: Examined, seed: int, public: Container[str]) -> None:
    """Execute a few times at random, as CovCon runs each test, to see which methods overlapped.

    In the first execution all threads advance at the same pace, so in a long test the first call of one thread does not
    overlap the last call of another. Then calls that have not overlapped are held, one at a time, while the other
    threads run past them. At last, threads are preempted anywhere.
    """
    walk = RandomWalk(seed)
    bed = examination.bed

    def finish() -> None:
        found.covered.update(overlaps(ENGINE, bed, public))
        found.evidence.see(ENGINE, bed)

    execute(bed.prepare, walk.next_prefix() or (), walk, free=walk.free, finish=finish)
    found.executions += 1
    left = _across(bed.test) - found.covered.keys()

    def count() -> None:
        for each in overlaps(ENGINE, bed, public):
            found.covered.setdefault(each, 1)

    # A call with a single access is held before it, another call after its first: then the other threads overlap it.
    threads = sorted(enumerate(bed.test.suffixes, 1), key=lambda each: len(each[1]))
    held = [(thread, at, accesses) for accesses in (1, 0) for thread, calls in threads for at in range(len(calls))]
    switch = Pct(2, seed)
    switch.executed(ENGINE)
    for _ in range(_PASSES * max(map(len, bed.test.suffixes), default=0)):
        left -= found.covered.keys()
        if not left or ENGINE.status == HANG:
            break
        while held and not any(bed.test.suffixes[held[0][0] - 1][held[0][1]].method in each for each in left):
            held.pop(0)
        search: Strategy = Holding(bed, *held.pop(0)) if held else switch
        execute(bed.prepare, search.next_prefix() or (), search, free=search.free, finish=count)
        search.executed(ENGINE)
        found.executions += 1


def _across(test: Test) -> set[tuple[str, str]]:
    """Return the pairs of methods that different threads of a test call."""
    names = [[call.method for call in suffix] for suffix in test.suffixes]
    both = [(one, two) for at, mine in enumerate(names) for one in mine for other in names[at + 1 :] for two in other]
    return {(one, two) if one <= two else (two, one) for one, two in both}


def _once(
    examination: Examination, search: Strategy, prefix: Sequence[int], found: Examined,
    also: Callable[[], None] | None = None,
) -> bool:  # fmt: skip
    """Run and judge one execution; return whether to stop.

    Stop if it is a violation, which is then in ``found``, or if too many executions had no end.
    """
    verdicts: list[Violation | None] = []

    def finish() -> None:
        if found.lazy is None:
            verdicts.append(examination.judge())
        elif found.lazy.fits():
            verdicts.append(None)
        if also is not None:
            also()

    bed = examination.bed
    execute(bed.prepare, prefix, search, free=search.free, finish=finish)
    search.executed(ENGINE)
    found.executions += 1
    hung = ENGINE.status == HANG
    found.timed |= ENGINE.time.timed
    found.polls |= hung
    if found.lazy is not None and not verdicts and not _settled(examination, found, verdicts):
        return True
    violation = verdicts[0] if verdicts else None
    if violation is None:
        found.hangs += hung
        return found.hangs >= _MAX_HANGS
    schedule, cost = schedule_of(ENGINE), count_preemptions(ENGINE.trace)
    violation = examination.confirm(violation)
    if violation is None:
        return False
    if found.wanted is not None and not found.wanted(violation):
        return False
    if found.violation is None:
        found.violation, found.schedule, found.preemptions = violation, schedule, cost
    elif violation.cause not in {found.violation.cause, *(other.cause for other, _ in found.others)}:
        found.others.append((violation, schedule))
    return True


def _settled(examination: Examination, found: Examined, verdicts: list[Violation | None]) -> bool:
    """Judge the last execution, which fits none of the orders run so far; return False if that is impossible.

    If no further order explains it, it is executed again and judged by all orders, as are all executions after it.
    """
    assert found.lazy is not None
    schedule = [entry[0] for entry in ENGINE.trace if entry[4] is not None]
    if found.lazy.settle():
        verdicts.append(None)
        return True
    found.lazy = None
    if not examination.specification.complete:
        return False
    bed = examination.bed
    execute(bed.prepare, schedule, free=True, finish=lambda: verdicts.append(examination.judge()))
    return True
