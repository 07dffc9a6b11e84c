"""The tasks of worker processes for `plait diff`; each process has one of the two versions."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import ClassVar, NamedTuple

from plait.commands.check.evidence import Alone
from plait.commands.check.worker import tasks
from plait.commands.check.worker.finding import FindingContext, finding_of
from plait.commands.check.worker.stream import StreamOptions
from plait.explore.capp.partition import Aim
from plait.generate.catalogue import Catalogue, Hints, build_catalogue
from plait.generate.condiff import Feature, Stage, Stages
from plait.judge.difference import explain as difference_explain
from plait.judge.difference.apart import Judged, judged
from plait.judge.difference.behaviour import Explored, Shown, explore_outcomes
from plait.judge.difference.explain import Explanation
from plait.judge.difference.outcome import Outcome, View
from plait.judge.difference.serial import Observation, Observer, reached, statements_reached
from plait.judge.difference.words import Kind
from plait.judge.minimise.tests import stated_values
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.safety import Examination
from plait.judge.oracle.sequential import SequentialRunner
from plait.model.finding import Finding
from plait.model.test import Call, Test
from plait.observe.footprint import Touched
from plait.observe.places import PLACES
from plait.observe.trace import Place, relative_to
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed
from plait.store.recording import CALLS, STATE, Asked, answer_digest, start_position
from plait.subject.interface.admitted import Admitted
from plait.subject.interface.members import Interface
from plait.workers import state


@dataclass(frozen=True, slots=True)
class Generation:
    """What a generator of tests needs."""

    interface: Interface
    methods: tuple[str, ...]
    seed: int = 0
    hints: Hints = field(default_factory=Hints)
    tests: Path | None = None
    objects: frozenset[str] | None = None
    """Values that both versions make in the same way; None if unknown."""
    changed: tuple[str, ...] = ()
    """Methods of which a test must call at least one to be able to differ."""


class Solo(NamedTuple):
    """One suffix run alone after the prefix: its outcome, and what it touched."""

    observation: Observation
    touched: Touched


def objects(generation: Generation) -> frozenset[str]:
    """Return the values in this version's catalogue that are more than plain data."""
    with state.world().entered():
        return _catalogue(generation).objects()


def call_alone(name: str, generation: Generation) -> Alone:
    """Call each method of this version by itself in a single thread, and return what that shows."""
    options = StreamOptions(name, seed=generation.seed)
    return tasks.alone(name, options, generation.hints, generation.tests)


def begin_generation(generation: Generation) -> tuple[bytes, str]:
    """Return a pickled generator and its first position; only workers unpickle it."""
    SequentialRunner.announce = _announce
    with state.world().entered():
        state.try_imports(generation.interface.imports)
        catalogue = _catalogue(generation)
        if generation.objects is not None:
            catalogue.keep_objects(generation.objects)
        random = Random(generation.seed)
        stages = Stages(catalogue, SequentialRunner(), random, generation.methods, _reached, generation.changed)
        return pickle.dumps(stages), start_position(stages)


def _catalogue(generation: Generation) -> Catalogue:
    owner = state.subject()
    return build_catalogue(
        owner, generation.interface, hints=generation.hints, seed=generation.seed, tests=generation.tests
    )


class _Questions:
    """The questions that the running generator has asked."""

    asked: ClassVar[list[Asked]] = []

    @classmethod
    def calls(cls, test: Test, answer: object) -> None:
        cls.asked.append(Asked(CALLS, test, answer_digest(answer)))


def _reached(test: Test) -> frozenset[Feature]:
    found = reached(test)
    _Questions.asked.append(Asked(STATE, test, answer_digest(found)))
    return found


def next_stage(packed: bytes, avoid: frozenset[str]) -> tuple[bytes, Stage, tuple[Asked, ...], tuple[str, ...], float]:
    """Return the generator's new state, the next stage, the questions asked for it, and notes on avoided methods."""
    state.subject()
    SequentialRunner.announce = _announce
    started = time.perf_counter()
    with state.world().entered():
        stages: Stages = pickle.loads(packed)  # noqa: S301 - written by `begin` or by this
        stages.avoid |= avoid
        _Questions.asked, SequentialRunner.listener = [], _Questions.calls
        try:
            stage = stages.next_stage()
        finally:
            SequentialRunner.listener = None
        left_out = tuple(SequentialRunner.left_out())
        return pickle.dumps(stages), stage, tuple(_Questions.asked), left_out, time.perf_counter() - started


def ask_again(asked: tuple[Asked, ...]) -> tuple[str, ...]:
    """Return hashes of the answers that a generator would get now."""
    state.subject()
    run = SequentialRunner()
    SequentialRunner.announce = _announce
    with state.world().entered():
        return tuple(answer_digest(run(each.test) if each.kind == CALLS else reached(each.test)) for each in asked)


def state_after_prefix(stage: Stage, view: View) -> str:
    """Return a hash of the state that a stage's prefix leaves on this version; empty if a hash cannot describe it.

    A hash can if the prefix changes only what its own objects hold. Then everything after it depends on this state, and
    not on how it came about.
    """
    state.subject()
    with state.world().entered():
        observer = _observer(view)
        calls = Test(stage.imports, stage.prefix[:1], (stage.prefix[1:],))
        touched = observer.observe_alone(calls)[1] if stage.prefix[1:] else Touched(frozenset())
        beginning = observer.beginning(stage.test(()))
        own = {stage.prefix[0].result or ""} - {state.spec().module.partition(".")[0]}
        whole = view.state and not view.ignored and not beginning.failed and touched.stays_within(own)
        return answer_digest((beginning.results, beginning.state)) if whole else ""


def observe_alone(stage: Stage, view: View, numbers: tuple[int, ...] | None = None) -> tuple[tuple[Solo, ...], float]:
    """Run suffixes of a stage, each alone on this version; by default all, otherwise those with these ``numbers``."""
    state.subject()
    started = time.perf_counter()
    with state.world().entered():
        observer = _observer(view)
        found = []
        for number in range(len(stage.suffixes)) if numbers is None else numbers:
            test = stage.test((number,))
            _announce(test)
            found.append(Solo(*observer.observe_alone(test)))
        return tuple(found), time.perf_counter() - started


def observe_tests(tests: tuple[Test, ...], view: View) -> tuple[tuple[Observation, ...], float]:
    """Run tests on this version in all orders of their calls; return the observations with their traces."""
    state.subject()
    started = time.perf_counter()
    with state.world().entered():
        observer = _observer(view)
        found = []
        for test in tests:
            _announce(test)
            found.append(observer.observe(test))
        return tuple(found), time.perf_counter() - started


def _observer(view: View) -> Observer:
    spec = state.spec()
    return Observer(view, relative_to([*spec.roots, *spec.paths]))


def observe_twice(test: Test, view: View) -> tuple[Observation, Observation]:
    """Observe the same test twice: threads are not to blame for what differs."""
    state.subject()
    with state.world().entered():
        _announce(test)
        return _observer(view).observe(test, traced=False), _observer(view).observe(test, traced=False)


def outcomes(
    test: Test, view: View, limit: int, sampled: int, seconds: float, allowed: frozenset[Outcome] | None, gil: bool,
    order: str = "dpor", aim: Aim | None = None,
) -> tuple[Explored, float]:  # fmt: skip
    """Return all outcomes of a test on this version; see `plait.judge.difference.behaviour.explore_outcomes`."""
    state.subject()
    started = time.perf_counter()
    with state.world().entered():
        _announce(test)
        ENGINE.gil = gil
        try:
            found = explore_outcomes(
                Testbed(test, PLACES), view, limit=limit, sampled=sampled,
                deadline=time.process_time() + seconds, allowed=allowed, order=order, aim=aim,
            )  # fmt: skip
        finally:
            ENGINE.gil = False
    return found, time.perf_counter() - started


def explain_difference(
    test: Test, view: View, allowed: frozenset[Outcome], kind: Kind, known: tuple[Outcome, Shown],
    seen: tuple[Test, ...],
) -> Explanation:  # fmt: skip
    """Explain an outcome that only this version has."""
    state.subject()
    spec = state.spec()
    with state.world().entered():
        _announce(test)
        return difference_explain.explain_outcome(
            test, view, allowed, kind, known, seen, relative_to([*spec.roots, *spec.paths])
        )


def judge(test: Test, probes: tuple[Call, ...], rules: Rules, gil: bool) -> Judged:
    """Judge a test on this version by the orders of its whole calls."""
    state.subject()
    with state.world().entered():
        _announce(test)
        return judged(test, probes, rules, gil=gil)


def stated(test: Test) -> Admitted:
    """Return the simple values that this version's annotations admit for a test's arguments."""
    state.subject()
    with state.world().entered():
        _announce(test)
        return stated_values(Examination(test, PLACES))


def explain_broken(
    test: Test, found: Judged, probes: tuple[Call, ...], rules: Rules, subject: str, seen: tuple[Test, ...]
) -> Finding | None:
    """Return the finding for the violation of a minimal test; None if it does not replay."""
    assert found.violation is not None
    assert found.schedule is not None
    state.subject()
    spec = state.spec()
    relative = relative_to([*spec.roots, *spec.paths])
    with state.world().entered():
        _announce(test)
        context = FindingContext(subject, probes, list(seen), rules, _announce)
        finding = finding_of(test, found.violation, found.schedule, context, smallest=True)
    if finding is None:
        return None
    finding.interleaving = [replace(step, file=relative(step.file)) for step in finding.interleaving]
    if finding.race is not None:
        finding.race = [replace(step, file=relative(step.file)) for step in finding.race]
    if finding.gap is not None:
        finding.gap = replace(finding.gap, file=relative(finding.gap.file))
    if finding.guard is not None:
        places = tuple(_place(each, relative) for each in finding.guard.unguarded)
        finding.guard = replace(finding.guard, unguarded=places)
    return finding


def _place(text: str, relative: Callable[[str], str]) -> str:
    file, _, line = text.rpartition(":")
    return f"{relative(file)}:{line}"


def visited(test: Test) -> frozenset[Place]:
    """Return the statements that a test reaches on this version in orders of whole calls."""
    state.subject()
    spec = state.spec()
    with state.world().entered():
        _announce(test)
        return statements_reached(test, relative_to([*spec.roots, *spec.paths]))


def _announce(test: Test) -> None:
    """Note what runs next, in case that this process does not survive it."""
    state.note(test.as_lines())
