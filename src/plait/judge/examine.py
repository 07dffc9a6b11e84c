"""Many executions of one generated test, each judged: systematic while that is small, sampled when it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from plait.explore.capp_dpor import CappDpor
from plait.explore.capp_partition import Aim
from plait.explore.capp_pos import CappPos
from plait.explore.dpor import Dpor
from plait.explore.pos import Pos
from plait.explore.random_walk import RandomWalk
from plait.explore.strategy import Strategy
from plait.judge.safety import Examination, Violation
from plait.judge.strategies import make_strategy
from plait.model.schedule import Schedule
from plait.observe.overlap import overlaps
from plait.observe.recording import preemptions, schedule_of
from plait.observe.unguarded import unguarded
from plait.run.engine import ENGINE

SYSTEMATIC = 250  # executions that the reduction gets before sampling takes over
SAMPLED = 60


@dataclass(slots=True)
class Examined:
    """What the executions of a test showed."""

    executions: int = 0
    conflicts: bool = False  # the threads touch something together, so the order of their steps matters
    unguarded: bool = False  # they do so without a common lock
    exhausted: bool = False
    diverged: bool = False
    violation: Violation | None = None
    schedule: Schedule | None = None
    preemptions: int = 0
    covered: Counter[tuple[str, str]] = field(default_factory=Counter)


def examine(
    examination: Examination,
    *,
    seed: int = 0,
    systematic: int = SYSTEMATIC,
    sampled: int = SAMPLED,
    public: Container[str] = (),
    order: str | None = None,
    aim: Aim | None = None,
) -> Examined:
    """Execute until a violation shows, all classes of schedules are seen, or the limits are reached.

    A test whose threads do not touch anything together needs one execution and no specification. ``order`` names a
    search (see `plait.judge.strategies`) that takes the place of the reduction followed by samples. With ``aim``,
    schedules that preempt at impacted code come first.
    """
    found = Examined()
    search = Dpor()
    prefix = search.next_prefix()
    assert prefix is not None
    ENGINE.execute(examination.bed.prepare, prefix, search, free=search.free)  # one thread after the other: serial
    search.executed(ENGINE)
    found.executions = 1
    waiting = bool(ENGINE.pending)
    following = search.next_prefix()
    found.unguarded = following is not None and unguarded(ENGINE)
    if public:
        _cover(examination, found, seed, public)
    if following is None and not waiting:
        found.exhausted = search.exhausted
        return found
    found.conflicts = True
    _ = examination.specification
    priority = None if aim is None else aim.prioritizer()
    if order is not None:
        _search(examination, make_strategy(order, seed, priority), found, systematic + sampled)
        return found
    if priority is not None:
        search = CappDpor(priority)
        following = search.next_prefix()
    if waiting and _once(examination, RandomWalk(seed), (), found):
        return found
    while following is not None and found.executions < systematic:
        if _once(examination, search, following, found):
            return found
        following = search.next_prefix()
    found.exhausted = following is None and search.exhausted
    found.diverged = search.diverged
    if following is not None:
        sample = Pos(seed) if priority is None else CappPos(priority, seed)
        for _ in range(sampled):
            start = sample.next_prefix()
            if start is None or _once(examination, sample, start, found):
                break
    return found


def _search(examination: Examination, search: Strategy, found: Examined, limit: int) -> None:
    while found.executions < limit:
        prefix = search.next_prefix()
        if prefix is None:
            found.exhausted = search.exhausted
            return
        if _once(examination, search, prefix, found):
            return


def _cover(examination: Examination, found: Examined, seed: int, public: Container[str]) -> None:
    """One execution at random, as CovCon runs each test, to see which methods ran together."""
    walk = RandomWalk(seed)
    prefix = walk.next_prefix()
    bed = examination.bed
    ENGINE.execute(
        bed.prepare, prefix or (), walk, free=walk.free,
        finish=lambda: found.covered.update(overlaps(ENGINE, bed, public)),
    )  # fmt: skip
    found.executions += 1


def _once(examination: Examination, search: Strategy, prefix: Sequence[int], found: Examined) -> bool:
    """One execution; True if it is a violation, which is then in ``found`` with its schedule."""
    verdicts: list[Violation | None] = []
    ENGINE.execute(
        examination.bed.prepare, prefix, search, free=search.free,
        finish=lambda: verdicts.append(examination.judge()),
    )  # fmt: skip
    search.executed(ENGINE)
    found.executions += 1
    violation = verdicts[0] if verdicts else None
    if violation is None:
        return False
    schedule, cost = schedule_of(ENGINE), preemptions(ENGINE.trace)
    if violation.kind == "state":
        violation = examination.confirm_state(violation)
        if violation is None:
            return False
    found.violation, found.schedule, found.preemptions = violation, schedule, cost
    return True
