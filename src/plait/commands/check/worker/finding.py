"""Turn a violation into a finding: minimise the test, replay it, and explain it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from plait.errors import guarded
from plait.judge.minimise.tests import Minimal, Minimiser, fewest_preemptions
from plait.judge.oracle.causes import cause
from plait.judge.oracle.examine import examine
from plait.judge.oracle.explain import explain_violation, guard_of, record_schedule, relevant
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.safety import INEXCUSABLE, Examination, Violation
from plait.judge.oracle.summary import summary
from plait.model.finding import Finding
from plait.model.schedule import Schedule
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.observe.racing import GuardTable, gap
from plait.store.keys import token

REPLAYS = 10


@dataclass(frozen=True)
class FindingContext:
    """The data that all violations of a subject share while they become findings.

    The locks that guard a field are learned from the tests in ``seen``. ``announce`` is called with each test before it
    is executed, in case the process does not survive it.
    """

    subject: str
    probes: tuple[Call, ...]
    seen: list[Test]
    rules: Rules | None = None
    announce: Callable[[Test], None] | None = None

    def examination(self, test: Test) -> Examination:
        """Return a test with its judge."""
        return Examination(test, PLACES, self.probes, self.rules)


def look_of(test: Test, violation: Violation, schedule: Schedule, probes: tuple[Call, ...], rules: Rules) -> str:
    """Return a key for the race of a violation. If one with this key was explained, another is not minimised again."""
    examination = Examination(test, PLACES, probes, rules)
    moments, pairs, _waiting = record_schedule(examination, schedule)
    itself = violation.detail in INEXCUSABLE
    pair = None if itself else relevant(pairs, examination.bed, violation.exception)
    calls = [test.calls[violation.calls[0]]] if itself else test.calls
    methods = frozenset(call.method for call in calls)
    between = None if pair is None else gap(moments, pairs, pair)
    places = pair.places if pair is not None else methods
    return token((violation.cause, places, between.function if between is not None else ""))


def finding_of(
    test: Test, violation: Violation, schedule: Schedule, context: FindingContext, *, smallest: bool = False,
    notes: list[str] | None = None,
) -> Finding | None:  # fmt: skip
    """Minimise and explain one violation; return None if it does not replay.

    If the test is the ``smallest`` already, its calls stay, and only its schedule is simplified. Otherwise a test in
    which one method runs concurrently with itself is preferred, if it shows the same. An internal error is added to
    ``notes``, and costs only the step in which it occurs.
    """
    own: list[str] = [] if notes is None else notes
    given = Minimal(test, violation, schedule, schedule.switches, 0, True)

    def same(other: Violation) -> bool:
        return other.cause == violation.cause

    def minimise() -> Minimal:
        if smallest:
            return fewest_preemptions(context.examination(test), same) or given
        minimiser = Minimiser(PLACES, context.probes, same, context.rules, context.announce)
        return minimiser.minimise(test, violation, schedule)

    minimal = guarded("minimising", minimise, own, test, "the finding is shown with the test as it was found") or given
    examination = context.examination(minimal.test)
    if not _replays(examination, minimal, same):
        return None

    def explained() -> Finding:
        guards = _guards_of(context.seen, context.probes)
        return explain_violation(examination, minimal, guards, context.subject, same)

    finding = guarded("explaining", explained, own, minimal.test, "the finding is shown without its interleaving")
    if finding is None:
        return _unexplained(minimal, context.subject, examination)

    def with_itself() -> Finding | None:
        return None if smallest else _with_itself(finding, same, context)

    return guarded("minimising", with_itself, own, minimal.test, "the finding is shown as it was before") or finding


def _replays(examination: Examination, minimal: Minimal, same: Callable[[Violation], bool]) -> bool:
    for _ in range(REPLAYS):
        replayed, lost = examination.replay(minimal.schedule)
        if replayed is None or lost is not None or not same(replayed):
            return False
    return True


def _unexplained(minimal: Minimal, subject: str, examination: Examination) -> Finding:
    """Return a finding for a violation without a recorded execution."""
    violation, test = minimal.violation, minimal.test
    names = sorted({f"{subject}.{name}" for call in test.calls for name in call.methods})
    said = guarded("explaining", lambda: summary(violation, test, subject, examination.specification), [])
    exception = f": {violation.exception}" if violation.exception else ""
    return Finding(
        violation.kind, said or f"{subject}: {violation.kind}{exception} in {' and '.join(names)}", names, test=test,
        exception=violation.exception, preemptions=minimal.preemptions, schedule=minimal.schedule,
        detail=violation.detail,
        probed=violation.is_probed,
    )  # fmt: skip


def _with_itself(finding: Finding, same: Callable[[Violation], bool], context: FindingContext) -> Finding | None:
    """Return the same finding with the interrupted method running concurrently with itself, if that shows it."""
    test = _test_with_itself(finding)
    if test is None:
        return None
    if context.announce is not None:
        context.announce(test)
    found = examine(context.examination(test), systematic=400, sampled=20, wanted=same)
    if found.violation is None or found.schedule is None:
        return None
    alone = finding_of(test, found.violation, found.schedule, context)
    return alone if alone is not None and cause(alone) == cause(finding) else None


def _test_with_itself(finding: Finding) -> Test | None:
    """Return the test in which the interrupted method runs concurrently with itself instead of another method."""
    test = finding.test
    if finding.gap is None or test is None or [len(suffix) for suffix in test.suffixes] != [1, 1]:
        return None
    if finding.gap.thread not in (1, 2):
        return None  # it is a thread of the class
    call = test.calls[finding.gap.thread - 1]
    if all(other.method == call.method for other in test.calls):
        return None
    return replace(test, suffixes=((call,), (call,)))


def _guards_of(tests: list[Test], probes: tuple[Call, ...]) -> GuardTable:
    """Return which locks the class holds where, from one serial execution of each test."""
    table = GuardTable()
    for test in tests:
        try:
            moments, _pairs, _waiting = record_schedule(Examination(test, PLACES, probes), Schedule(()))
        except Exception:  # noqa: S112 - a test that cannot be built shows nothing
            continue
        table.add(moments)
    return table


def renew_guards(findings: Sequence[Finding], tests: list[Test], probes: tuple[Call, ...]) -> None:
    """Update the guards in findings by all these tests: when the findings were explained, there were fewer."""
    raced = [finding for finding in findings if finding.race and finding.test is not None]
    if not raced:
        return
    table = _guards_of(tests, probes)
    for finding in raced:
        assert finding.test is not None
        assert finding.schedule is not None
        table.add(record_schedule(Examination(finding.test, PLACES, probes), finding.schedule)[0])
    for finding in raced:
        assert finding.race is not None
        finding.guard = guard_of(finding.race[0].place, table)
