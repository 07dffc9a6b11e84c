"""Explains a proven difference: the shortest schedule that shows it, the race, and whether the GIL prevents it.

This runs in a process that has loaded the version which shows the outcome.
"""

from __future__ import annotations

import linecache
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from plait.explore.dfs import Dfs
from plait.explore.runner import execute, model
from plait.explore.scripted import Scripted
from plait.judge.difference.behaviour import Shown, explore_outcomes
from plait.judge.difference.outcome import Outcome, View, Watch
from plait.judge.difference.words import Kind, difference_kind
from plait.judge.oracle.explain import REPLAYS, record_schedule, relevant
from plait.judge.oracle.safety import Examination
from plait.judge.oracle.standing import raised_at, raised_text
from plait.model.finding import AccessStep, Gap, Guard, RaisedAt
from plait.model.schedule import Schedule
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.observe.racing import GuardTable, RacingPair, gap
from plait.observe.recording import Moment, as_step, count_preemptions, schedule_of
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed

PER_BOUND = 1500  # executions per number of preemptions
MAX_PREEMPTIONS = 4
_UNDER_GIL = 3000  # executions
SAMPLED = 200
SECONDS = 10.0  # processor time of this process for each of the two searches


@dataclass(slots=True)
class Explanation:
    """Plain data for a finding. ``reachable`` is about builds with the GIL; None if the search stopped early."""

    outcome: Outcome
    shown: Shown
    interleaving: list[AccessStep] = field(default_factory=list)
    race: list[AccessStep] | None = None
    guard: Guard | None = None
    waiting: list[str] = field(default_factory=list)
    reachable: bool | None = None
    confirmed: bool = False
    raised: str = ""
    gap: Gap | None = None
    raised_at: RaisedAt | None = None


def explain_outcome(
    test: Test,
    view: View,
    allowed: frozenset[Outcome],
    kind: Kind,
    known: tuple[Outcome, Shown],
    seen: Iterable[Test],
    relative: Callable[[str], str],
) -> Explanation:
    """Explain an outcome that is not among the ``allowed`` ones, which are those of the other version.

    The executions of the tests in ``seen`` show which locks guard what.
    """
    outcome, shown = _fewest_preemptions_of_outcome(test, view, allowed, kind) or known
    examination = Examination(test, PLACES)
    moments, pairs, waiting = record_schedule(examination, shown.schedule)
    exception = kind[1] if kind[0] == "raised" else None
    raised = "" if exception is None else raised_text(examination.bed, exception)
    pair = relevant(pairs, examination.bed, exception)
    torn = None if pair is None else gap(moments, pairs, pair)
    guards = GuardTable()
    for other in seen:
        try:
            guards.add(record_schedule(Examination(other, PLACES), Schedule(()))[0])
        except Exception:  # noqa: S112 - a test that cannot be built shows nothing
            continue
    guards.add(moments)
    return Explanation(
        outcome, shown, [_step(moment, relative) for moment in moments if moment.site.line],
        None if pair is None else [_step(pair.first, relative), _step(pair.second, relative)],
        None if pair is None else _guard(pair, guards, relative), waiting, _under_gil(test, view, allowed, kind),
        _difference_confirmed(test, view, shown.schedule, outcome), raised,
        None if torn is None else replace(torn, file=relative(torn.file)), raised_at(examination.bed, exception),
    )  # fmt: skip


def _fewest_preemptions_of_outcome(
    test: Test, view: View, allowed: Collection[Outcome], kind: Kind
) -> tuple[Outcome, Shown] | None:
    """Return an outcome of this kind with the fewest preemptions found, then the fewest switches; None if not found."""
    deadline = time.process_time() + SECONDS
    bed = Testbed(test, PLACES)
    watch = Watch(bed, view)
    best: tuple[Outcome, Shown] | None = None
    try:
        for bound in range(MAX_PREEMPTIONS + 1):
            search = Dfs(bound)
            left = PER_BOUND
            while left:
                left -= 1
                prefix = search.next_prefix()
                if prefix is None or time.process_time() > deadline:
                    break
                found: list[Outcome] = []
                execute(
                    bed.prepare, prefix, search, free=True,
                    finish=lambda into=found: into.append(watch.outcome()),  # type: ignore[misc]
                )  # fmt: skip
                search.executed(ENGINE)
                if found[0] in allowed or difference_kind(found[0], allowed) != kind:
                    continue
                shown = Shown(schedule_of(ENGINE), count_preemptions(ENGINE.trace))
                left = min(left, PER_BOUND // 5)  # search a little longer for a simpler one
                if best is None or _cost(shown) < _cost(best[1]):
                    best = (found[0], shown)
            if best is not None:
                return best
    finally:
        bed.on_return = None
    return None


def _cost(shown: Shown) -> tuple[int, int]:
    return (shown.preemptions, shown.schedule.switches)


def _under_gil(test: Test, view: View, allowed: frozenset[Outcome], kind: Kind) -> bool | None:
    """Return whether a build with the GIL can show an outcome of this kind.

    None if the search stopped before that was known.
    """
    with model(gil=True):
        found = explore_outcomes(
            Testbed(test, PLACES), view, limit=_UNDER_GIL, sampled=SAMPLED, deadline=time.process_time() + SECONDS
        )
    if any(each not in allowed and difference_kind(each, allowed) == kind for each in (*found.outcomes, *found.early)):
        return True
    return False if found.exhausted and (not found.timed or found.early_exhausted) else None


def _difference_confirmed(test: Test, view: View, schedule: Schedule, outcome: Outcome) -> bool:
    """Return whether the schedule shows the outcome on OS threads as well, in every replay."""
    return all(replay_outcome(test, view, schedule, backend="threads") == (outcome, None) for _ in range(REPLAYS))


def replay_outcome(test: Test, view: View, schedule: Schedule, *, backend: str = "auto") -> tuple[Outcome, str | None]:
    """Run one schedule; the second part of the result says where it no longer fits the code, or is None."""
    bed = Testbed(test, PLACES)
    watch = Watch(bed, view)
    strategy = Scripted(schedule)
    strategy.next_prefix()
    found: list[Outcome] = []
    with model(schedule=schedule):
        try:
            execute(bed.prepare, (), strategy, finish=lambda: found.append(watch.outcome()), backend=backend)
        finally:
            bed.on_return = None
    return found[0], strategy.lost


def _step(moment: Moment, relative: Callable[[str], str]) -> AccessStep:
    step = as_step(moment)
    line = linecache.getline(step.file, step.line).strip()
    return replace(step, file=relative(step.file), code=line or step.code)


def _guard(pair: RacingPair, guards: GuardTable, relative: Callable[[str], str]) -> Guard | None:
    found = guards.guard(pair.first.location)
    if found is None or not found[1]:
        return None
    lock, lacking, having = found
    if having <= len(lacking):  # if most places do without the lock, it is no rule that one of them breaks
        return None
    places = tuple(f"{relative(file)}:{line}" for file, _, line in (each.rpartition(":") for each in lacking))
    return Guard(pair.first.location.partition("[")[0], lock, places, having)
