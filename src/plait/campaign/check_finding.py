"""From a violation to the finding that is shown: the smallest test, replayed, explained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from plait.campaign.keys import token
from plait.judge.cause import cause
from plait.judge.examine import examine
from plait.judge.explain import explain, record_schedule, relevant
from plait.judge.minimise import Minimal, Minimiser, fewest_preemptions
from plait.judge.rules import Rules
from plait.judge.safety import ITSELF, Examination, Violation
from plait.model.finding import Finding
from plait.model.schedule import Schedule
from plait.model.test import Call, Test
from plait.observe.gap import gap
from plait.observe.places import PLACES
from plait.observe.racing import GuardTable

REPLAYS = 10


def look_of(test: Test, violation: Violation, schedule: Schedule, probes: tuple[Call, ...], rules: Rules) -> str:
    """The race behind a violation: one that looks like an explained one is not minimised again."""
    examination = Examination(test, PLACES, probes, rules)
    moments, pairs, _waiting = record_schedule(examination, schedule)
    itself = violation.detail == ITSELF
    pair = None if itself else relevant(pairs)
    calls = [test.calls[violation.calls[0]]] if itself else test.calls
    methods = frozenset(call.method for call in calls)
    between = None if pair is None else gap(moments, pairs, pair)
    places = pair.places if pair is not None else methods
    return token((violation.cause, places, between.function if between is not None else ""))


def finding_of(
    test: Test, violation: Violation, schedule: Schedule, probes: tuple[Call, ...], seen: list[Test], subject: str,
    rules: Rules | None = None, announce: Callable[[Test], None] | None = None, *, smallest: bool = False,
) -> Finding | None:  # fmt: skip
    """Minimise and explain one violation; None if it does not replay.

    A test that is the ``smallest`` already keeps its calls; only its schedule becomes as simple as it can be. Otherwise
    a method that meets itself is preferred to two, if that shows the same.
    """

    def same(other: Violation) -> bool:
        return other.cause == violation.cause

    if smallest:
        given = Minimal(test, violation, schedule, schedule.switches, 0, True)
        minimal = fewest_preemptions(Examination(test, PLACES, probes, rules), same) or given
    else:
        minimal = Minimiser(PLACES, probes, same, rules, announce).minimise(test, violation, schedule)
    examination = Examination(minimal.test, PLACES, probes, rules)
    for _ in range(REPLAYS):
        replayed, lost = examination.replay(minimal.schedule)
        if replayed is None or lost is not None or not same(replayed):
            return None
    finding = explain(examination, minimal, guards_of(seen, probes), subject, same)
    twin = None if smallest else _twin(finding)
    if twin is None:
        return finding
    if announce is not None:
        announce(twin)
    found = examine(Examination(twin, PLACES, probes, rules), systematic=400, sampled=20, wanted=same)
    if found.violation is None or found.schedule is None:
        return finding
    alone = finding_of(twin, found.violation, found.schedule, probes, seen, subject, rules, announce)
    return alone if alone is not None and cause(alone) == cause(finding) else finding


def _twin(finding: Finding) -> Test | None:
    """The test in which the method that was interrupted meets itself instead of another one."""
    test = finding.test
    if finding.gap is None or test is None or [len(suffix) for suffix in test.suffixes] != [1, 1]:
        return None
    if finding.gap["thread"] not in (1, 2):
        return None  # a thread of the class
    call = test.calls[finding.gap["thread"] - 1]
    if all(other.method == call.method for other in test.calls):
        return None
    return replace(test, suffixes=((call,), (call,)))


def guards_of(tests: list[Test], probes: tuple[Call, ...]) -> GuardTable:
    """Which locks the class holds where, from one execution of each test."""
    table = GuardTable()
    for test in tests:
        try:
            moments, _pairs, _waiting = record_schedule(Examination(test, PLACES, probes), Schedule(()))
        except Exception:  # noqa: S112 - a test that cannot be built teaches nothing
            continue
        table.add(moments)
    return table
