"""The worker's part of `plait check --schedule native`: searches on OS threads, and explanations of what they show.

A search runs each test once on OS threads, as CovCon does, in a worker that has the original code. An explanation needs
the rewritten code, so it runs in another worker.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from plait.commands.check.worker.finding import FindingContext, finding_of
from plait.generate.catalogue import Hints, build_catalogue
from plait.generate.registry import make_generator
from plait.judge.oracle.examine import examine
from plait.judge.oracle.native import NativeRunner, run_once
from plait.judge.oracle.parallel import Allowed, allowed, try_in_parallel
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.rules import Rules, may_wait
from plait.judge.oracle.safety import Examination, Violation
from plait.model.finding import Finding, PairRow, SeenInParallel
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.subject.interface.discovery import discover
from plait.workers import state

Cause = tuple[str, frozenset[str]]
"""An exception or ``deadlock``, with the methods of the threads that showed it."""


@dataclass(frozen=True, slots=True)
class NativeOptions:
    """The options of one search. ``known`` causes are not reported again."""

    generate: str
    seed: int
    threads: int
    tests: int | None
    known: frozenset[Cause] = frozenset()


@dataclass(slots=True)
class NativeSearch:
    """The result of a search until its first violation or its end."""

    tests: int = 0
    shown: str | None = None
    test: Test | None = None
    pairs: list[PairRow] = field(default_factory=list)


def native_search(name: str, options: NativeOptions, hints: Hints, tests: Path | None, seconds: float) -> NativeSearch:
    """Run generated tests on OS threads, once each, until one shows something that no order of its calls shows."""
    owner = state.subject()
    interface = discover(owner, name=name)
    public = {method.name for method in interface.methods}
    catalogue = build_catalogue(owner, interface, hints=hints, seed=options.seed, tests=tests)
    strategy = make_generator(
        options.generate, catalogue, NativeRunner(), seed=options.seed, threads=options.threads, repeat=True
    )
    found = NativeSearch()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and (options.tests is None or found.tests < options.tests):
        test = strategy.next_test()
        if test is None:
            break
        state.note(test.as_lines())
        found.tests += 1
        shown, covered = run_once(test, owner, public)
        strategy.feedback(test, covered)
        if shown is not None and cause_of(test, shown) not in options.known:
            found.shown, found.test = shown, test
            break
    found.pairs = strategy.pairs.matrix()
    return found


def cause_of(test: Test, shown: str) -> Cause:
    """Return a key that is equal for violations to be treated as the same."""
    return shown, frozenset(call.method for call in test.calls)


def explain_shown(name: str, subject: str, test: Test, shown: str, rules: Rules) -> Finding | None:
    """Return the same violation under control, minimised and with an interleaving; None if no schedule shows it."""
    interface = discover(state.subject(), name=name)
    probes = probes_of(interface)

    def same(violation: Violation) -> bool:
        return (violation.exception or violation.kind).rpartition(".")[2] == shown.rpartition(".")[2]

    with state.world().entered():
        examined = examine(Examination(test, PLACES, probes, rules), systematic=1500, sampled=500, wanted=same)
        for violation, schedule in examined.violations:
            found = finding_of(test, violation, schedule, FindingContext(subject, probes, [test], rules))
            if found is not None:
                return found
    return None


def allowed_by(name: str, rules: Rules, finding: Finding) -> Allowed | None:
    """Return what the test of a finding may do, for `in_parallel`; None if the finding does not replay."""
    test, schedule = finding.test, finding.schedule
    assert test is not None
    assert schedule is not None
    interface = discover(state.subject(), name=name)
    state.note(test.as_lines())
    with state.world().entered():
        examination = Examination(test, PLACES, probes_of(interface), replace(rules, waiting=may_wait(interface)))
        return allowed(examination, schedule, (finding.kind, finding.exception))


def in_parallel(test: Test, wanted: Allowed, seconds: float) -> SeenInParallel:
    """Try a finding on real threads, in a worker that has the original code."""
    state.subject()
    state.note(test.as_lines())
    return try_in_parallel(test, wanted, seconds=seconds)
