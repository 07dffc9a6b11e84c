"""Turns a minimal violation into a finding that a person can read and a program can replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plait.explore.runner import execute, model
from plait.explore.scripted import Scripted
from plait.judge.minimise.tests import Minimal, fewest_preemptions
from plait.judge.oracle.examine import examine
from plait.judge.oracle.safety import CYCLE, INEXCUSABLE, ITSELF, Examination, Violation
from plait.judge.oracle.specification import MASKED, Specification
from plait.judge.oracle.standing import raised_at, raised_text, standing_lines
from plait.judge.oracle.summary import summary
from plait.judge.words import shown_result
from plait.model.finding import Finding, Guard
from plait.model.schedule import Schedule
from plait.model.test import Call, Test
from plait.observe.racing import GuardTable, RacingPair, gap, interrupted_pair, racing_pairs
from plait.observe.recording import Moment, StepRecorder, as_step
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed

REPLAYS = 3
GIL_SYSTEMATIC, GIL_SAMPLED = 1500, 100  # executions at most to decide whether a build with the GIL shows it
_GIL_STEPS = 120_000  # at most for the same: an executor takes hundreds per call, and other findings have to wait


def explain_violation(
    examination: Examination, minimal: Minimal, guards: GuardTable, subject: str, same: Callable[[Violation], bool]
) -> Finding:
    """Return the finding. ``subject`` is the name of the class.

    If a build with the GIL shows the violation with as few preemptions, the schedule is one that such a build can
    follow.
    """
    today = reachable_under_gil(examination, same)
    if today:
        minimal = _under_gil(examination, minimal, same) or minimal
    moments, pairs, waiting = record_schedule(examination, minimal.schedule)
    violation = minimal.violation
    raised = "" if violation.exception is None else raised_text(examination.bed, violation.exception)
    pair = (
        None if violation.detail in INEXCUSABLE else relevant(pairs, examination.bed, violation.exception)
    )  # the fault is in one call alone
    finding = Finding(
        kind=violation.kind,
        summary=summary(violation, minimal.test, subject, examination.specification),
        methods=sorted({f"{subject}.{name}" for call in _concerned(minimal) for name in call.methods}),
        test=minimal.test,
        exception=violation.exception,
        preemptions=minimal.preemptions,
        schedule=minimal.schedule,
        interleaving=[as_step(moment) for moment in moments],
        detail=violation.detail,
        probed=violation.is_probed,
        odd_call=_odd_by_itself(violation, minimal.test),
        expected=expected(violation, minimal.test, examination.specification),
        waiting=waiting,
        raised=raised,
        raised_at=raised_at(examination.bed, violation.exception),
    )
    finding.reachable = {"gil": today, "free-threaded": True}
    finding.confirmed_on_threads = confirmed(examination, minimal.schedule, same)
    if pair is not None:
        finding.race = [as_step(pair.first), as_step(pair.second)]
        guards.add(moments)
        finding.guard = guard_of(pair.first.location, guards)
        finding.gap = gap(moments, pairs, pair)
    return finding


def _concerned(minimal: Minimal) -> Sequence[Call]:
    """Return the calls that a violation needs: all that are left in the test, or those that block themselves."""
    calls, violation = minimal.test.calls, minimal.violation
    return [calls[each] for each in violation.calls] if violation.detail in (ITSELF, CYCLE) else calls


def record_schedule(examination: Examination, schedule: Schedule) -> tuple[list[Moment], list[RacingPair], list[str]]:
    """Replay a schedule with a recorder; return its moments, the racing pairs, and who waits for what.

    If only locks race, the access that was interrupted comes first, unless a call has waited for a notification or
    waits for ever: then that is what has to be shown.
    """
    strategy = Scripted(schedule)
    strategy.next_prefix()
    recorder = StepRecorder()
    out: list[Any] = []

    def finish() -> None:
        moments = recorder.moments(ENGINE)
        out.extend((moments, racing_pairs(ENGINE, moments), standing_lines(moments)))

    with model(schedule=schedule, recorder=recorder):
        execute(examination.bed.prepare, (), strategy, finish=finish)
    moments, pairs, waiting = out
    waited = bool(waiting) or any(moment.verb == "wait" for moment in moments)
    if not waited and not any(pair.is_on_data and _is_in_code(pair) for pair in pairs):
        torn = interrupted_pair(moments)
        pairs = pairs if torn is None else [torn, *pairs]
    return moments, pairs, waiting


def relevant(pairs: list[RacingPair], bed: Testbed, exception: str | None) -> RacingPair | None:
    """Return the race to show from the last execution, or None.

    Prefer a race at the line that raised the exception, then one inside the code under test to one in the test's own
    lines. Among these, the order of ``pairs`` decides: races on data before races on locks.
    """
    inside = [pair for pair in pairs if _is_in_code(pair)]
    raised = raised_at(bed, exception)
    line = None if raised is None else (raised.file, raised.line)
    there = [pair for pair in inside if any((Path(each.site.file).name, each.site.line) == line for each in pair)]
    return next(iter(there or inside or pairs), None)


def _is_in_code(pair: RacingPair) -> bool:
    return not pair.first.site.file.startswith("<") and bool(pair.first.site.line)


def guard_of(location: str, guards: GuardTable) -> Guard | None:
    """Return the lock under which most places access the racing location, with the places that lack it, or None."""
    found = guards.guard(location)
    if found is None:
        return None
    lock, lacking, having = found
    if not lacking or having <= len(lacking):  # if most places lack the lock, it is no rule that one breaks
        return None
    return Guard(location.partition("[")[0], lock, tuple(lacking), having)


def reachable_under_gil(examination: Examination, same: Callable[[Violation], bool]) -> bool | None:
    """Return whether a build with the GIL can show the violation; None if the search stopped before that was known.

    The answer False is a claim: all schedules were executed, and if there are time-outs, with these at any moment, too.
    """
    for at_any_moment in (ENGINE.any_timeouts, True):
        with model(gil=ENGINE.gil, any_timeouts=at_any_moment), _gil(examination) as fresh:
            share = min(1.0, _GIL_STEPS / (GIL_SYSTEMATIC * max(_length(fresh), 1)))
            examined = examine(
                fresh, systematic=round(GIL_SYSTEMATIC * share), sampled=round(GIL_SAMPLED * share), wanted=same
            )
        if examined.violation is not None:
            return True
        if not examined.exhausted or examined.diverged:
            return None
        if not examined.timed or at_any_moment:
            break
    return False


def _length(examination: Examination) -> int:
    """Return the number of steps of one execution, an estimate for all executions of a search."""
    execute(examination.bed.prepare, (), Scripted(Schedule(())))
    return len(ENGINE.trace)


def _under_gil(examination: Examination, minimal: Minimal, same: Callable[[Violation], bool]) -> Minimal | None:
    """Return the violation on a schedule that the GIL allows; None if it needs more preemptions or does not replay."""
    with _gil(examination) as fresh:
        found = fewest_preemptions(fresh, same, minimal.preemptions)
    if found is None or not confirmed(examination, found.schedule, same, backend="auto"):
        return None
    return found


@contextmanager
def _gil(examination: Examination) -> Iterator[Examination]:
    """Yield a fresh examination of the same test, with the engine in the model of the GIL."""
    fresh = Examination(examination.bed.test, examination.sites, examination.probes, examination.rules)
    _ = fresh.specification
    with model(gil=True):
        yield fresh


def confirmed(
    examination: Examination, schedule: Schedule, same: Callable[[Violation], bool], backend: str = "threads"
) -> bool:
    """Return whether the schedule shows the violation in every replay, by default on OS threads."""
    for _ in range(REPLAYS):
        violation, lost = examination.replay(schedule, backend=backend)
        if violation is None or lost is not None or not same(violation):
            return False
    return True


def _odd_by_itself(violation: Violation, test: Test) -> str:
    """Return the call whose result alone is wrong, as in the test; empty if several are wrong only together."""
    odd = {test.calls[position].source for position in violation.calls[:2]}
    return odd.pop() if violation.probe is None and len(odd) == 1 else ""


def expected(violation: Violation, test: Test, specification: Specification) -> list[str]:
    """Return the results that the wrong call has in orders of whole calls.

    The list is empty if several calls are wrong only together, or if only the final state is wrong.
    """
    found: list[str] = []
    if not _odd_by_itself(violation, test):
        return found
    for position in violation.calls[:2]:
        for other in specification.observed:
            if other.results[position] == MASKED:
                continue  # its result differs in every run
            text = shown_result(other.results[position])
            if text not in found:
                found.append(text)
    return found[:8]
