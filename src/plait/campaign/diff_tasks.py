"""What worker processes of `plait diff` do; every process has one of the two versions."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NamedTuple

from plait.campaign import worker_state
from plait.campaign.check_finding import finding_of
from plait.explore.capp_partition import Aim
from plait.generate.catalogue import Catalogue, build_catalogue
from plait.generate.condiff import Stage, Stages
from plait.generate.hints import Hints
from plait.judge import difference_explain
from plait.judge.difference import Explored, Shown, explore
from plait.judge.difference_apart import Judged, judged
from plait.judge.difference_explain import Explanation
from plait.judge.difference_kind import Kind
from plait.judge.difference_outcome import Outcome, View
from plait.judge.difference_serial import Observation, Observer, reached, statements
from plait.judge.rules import Rules
from plait.judge.sequential import SequentialRunner
from plait.model.finding import Finding
from plait.model.test import Call, Test
from plait.observe.footprint import Touched
from plait.observe.places import PLACES
from plait.observe.trace import Place, relative_to
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed
from plait.subject.interface import Interface


@dataclass(frozen=True, slots=True)
class Generation:
    """What a generator of tests needs to know."""

    interface: Interface
    methods: tuple[str, ...]
    seed: int = 0
    hints: Hints = field(default_factory=Hints)
    tests: Path | None = None
    objects: frozenset[str] | None = None
    """Values that both versions make the same way, where that is known."""


class Solo(NamedTuple):
    """One suffix alone behind the prefix: what it did, and what it touched."""

    observation: Observation
    touched: Touched


def objects(generation: Generation) -> frozenset[str]:
    """The values of this version that are more than plain data."""
    with worker_state.world().entered():
        return _catalogue(generation).objects()


def begin(generation: Generation) -> bytes:
    """A generator, packed: its state is read in workers only."""
    SequentialRunner.announce = _announce
    with worker_state.world().entered():
        catalogue = _catalogue(generation)
        if generation.objects is not None:
            catalogue.keep_objects(generation.objects)
        random = Random(generation.seed)
        return pickle.dumps(Stages(catalogue, SequentialRunner(), random, generation.methods, reached))


def _catalogue(generation: Generation) -> Catalogue:
    owner = worker_state.subject()
    return build_catalogue(
        owner, generation.interface, hints=generation.hints, seed=generation.seed, tests=generation.tests
    )


def next_stage(packed: bytes, avoid: frozenset[str]) -> tuple[bytes, Stage, float]:
    """The next prefix with its suffixes."""
    worker_state.subject()
    SequentialRunner.announce = _announce
    started = time.perf_counter()
    with worker_state.world().entered():
        stages: Stages = pickle.loads(packed)  # noqa: S301 - written by `begin` or by this
        stages.avoid |= avoid
        stage = stages.next_stage()
        return pickle.dumps(stages), stage, time.perf_counter() - started


def observe_alone(stage: Stage, view: View) -> tuple[tuple[Solo, ...], float]:
    """Each suffix of a stage by itself on this version."""
    worker_state.subject()
    started = time.perf_counter()
    with worker_state.world().entered():
        observer = _observer(view)
        found = []
        for number in range(len(stage.suffixes)):
            test = stage.test((number,))
            _announce(test)
            found.append(Solo(*observer.observe_alone(test)))
        return tuple(found), time.perf_counter() - started


def observe(tests: tuple[Test, ...], view: View) -> tuple[tuple[Observation, ...], float]:
    """Tests on this version, in all orders of their calls, with the traces that they leave."""
    worker_state.subject()
    started = time.perf_counter()
    with worker_state.world().entered():
        observer = _observer(view)
        found = []
        for test in tests:
            _announce(test)
            found.append(observer.observe(test))
        return tuple(found), time.perf_counter() - started


def _observer(view: View) -> Observer:
    spec = worker_state.spec()
    return Observer(view, relative_to([*spec.roots, *spec.paths]))


def repeat(test: Test, view: View) -> tuple[Observation, Observation]:
    """The same test observed twice: what differs is not the threads' doing."""
    worker_state.subject()
    with worker_state.world().entered():
        _announce(test)
        return _observer(view).observe(test, traced=False), _observer(view).observe(test, traced=False)


def outcomes(
    test: Test, view: View, limit: int, sampled: int, seconds: float, allowed: frozenset[Outcome] | None, gil: bool,
    aim: Aim | None = None,
) -> tuple[Explored, float]:  # fmt: skip
    """All outcomes of a test on this version, see `plait.judge.difference.explore`."""
    worker_state.subject()
    started = time.perf_counter()
    with worker_state.world().entered():
        _announce(test)
        ENGINE.gil = gil
        try:
            found = explore(
                Testbed(test, PLACES), view, limit=limit, sampled=sampled,
                deadline=time.process_time() + seconds, allowed=allowed, aim=aim,
            )  # fmt: skip
        finally:
            ENGINE.gil = False
    return found, time.perf_counter() - started


def explain(
    test: Test, view: View, allowed: frozenset[Outcome], kind: Kind, known: tuple[Outcome, Shown],
    seen: tuple[Test, ...],
) -> Explanation:  # fmt: skip
    """What a person needs to know about an outcome that only this version has."""
    worker_state.subject()
    spec = worker_state.spec()
    with worker_state.world().entered():
        _announce(test)
        return difference_explain.explain(
            test, view, allowed, kind, known, seen, relative_to([*spec.roots, *spec.paths])
        )


def judge(test: Test, probes: tuple[Call, ...], rules: Rules, gil: bool) -> Judged:
    """Whether this version does in the test what no order of whole calls does."""
    worker_state.subject()
    with worker_state.world().entered():
        _announce(test)
        return judged(test, probes, rules, gil=gil)


def explain_violation(
    test: Test, found: Judged, probes: tuple[Call, ...], rules: Rules, subject: str, seen: tuple[Test, ...]
) -> Finding | None:
    """The finding for a violation of a test that is as small as it can be; None if it does not replay."""
    assert found.violation is not None
    assert found.schedule is not None
    worker_state.subject()
    spec = worker_state.spec()
    relative = relative_to([*spec.roots, *spec.paths])
    with worker_state.world().entered():
        _announce(test)
        finding = finding_of(
            test, found.violation, found.schedule, probes, list(seen), subject, rules, _announce, smallest=True
        )
    if finding is None:
        return None
    for row in (*finding.interleaving, *(finding.race or ()), *([finding.gap] if finding.gap is not None else ())):
        row["file"] = relative(row["file"])
    if finding.guard is not None:
        finding.guard["unguarded"] = [_place(each, relative) for each in finding.guard["unguarded"]]
    return finding


def _place(text: str, relative: Callable[[str], str]) -> str:
    file, _, line = text.rpartition(":")
    return f"{relative(file)}:{line}"


def visited(test: Test) -> frozenset[Place]:
    """The statements that a test reaches on this version, one call after another."""
    worker_state.subject()
    spec = worker_state.spec()
    with worker_state.world().entered():
        _announce(test)
        return statements(test, relative_to([*spec.roots, *spec.paths]))


def _announce(test: Test) -> None:
    """Leave a note of what runs, for the case that this process does not survive it."""
    worker_state.note(test.as_lines())
