"""What worker processes of `plait diff` do; every process has one of the two versions."""

from __future__ import annotations

import pickle
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from plait.campaign import worker_state
from plait.generate.catalogue import build_catalogue
from plait.generate.condiff import ChangedPairTests, Pair, Round
from plait.generate.hints import Hints
from plait.generate.sequence import Sequences
from plait.judge import difference_explain
from plait.judge.difference import Explored, Shown, explore
from plait.judge.difference_explain import Explanation
from plait.judge.difference_kind import Kind
from plait.judge.difference_outcome import Outcome, View
from plait.judge.difference_serial import Observation, Observer
from plait.judge.sequential import SequentialRunner
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.observe.trace import relative_to
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed
from plait.subject.interface import Interface


@dataclass(frozen=True, slots=True)
class Generation:
    """What a generator of tests needs to know."""

    interface: Interface
    pairs: tuple[Pair, ...]
    seed: int = 0
    threads: int = 2
    hints: Hints = field(default_factory=Hints)
    tests: Path | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Rounds of tests and what they did on the version of the process that made them."""

    rounds: tuple[Round, ...]
    observed: tuple[tuple[Observation, ...], ...]
    over: bool  # nothing new will come
    generate_s: float
    observe_s: float


def begin(generation: Generation) -> bytes:
    """A generator, packed: its state is read in workers only."""
    owner = worker_state.subject()
    SequentialRunner.announce = _announce
    with worker_state.world().entered():
        catalogue = build_catalogue(
            owner, generation.interface, hints=generation.hints, seed=generation.seed, tests=generation.tests
        )
        random = Random(generation.seed)
        sequences = Sequences(catalogue, SequentialRunner(), random)
        return pickle.dumps(ChangedPairTests(sequences, random, generation.pairs, threads=generation.threads))


def generate(
    packed: bytes, view: View, count: int, seconds: float, avoid: frozenset[str], traced: bool
) -> tuple[bytes, Batch]:
    """At least ``count`` tests, observed here; fewer after ``seconds``."""
    worker_state.subject()
    SequentialRunner.announce = _announce
    started = time.perf_counter()
    with worker_state.world().entered():
        generator: ChangedPairTests = pickle.loads(packed)  # noqa: S301 - written by `begin` or by this
        generator.avoid |= avoid
        rounds: list[Round] = []
        made = 0
        over = False
        while made < count and time.perf_counter() - started < seconds:
            following = generator.next_round()
            if following is None:
                over = True
                break
            rounds.append(following)
            made += len(following.tests)
        middle = time.perf_counter()
        observed = _observed(rounds, view, traced)
        done = time.perf_counter()
        return pickle.dumps(generator), Batch(tuple(rounds), observed, over, middle - started, done - middle)


def observe(rounds: tuple[Round, ...], view: View, traced: bool) -> tuple[tuple[tuple[Observation, ...], ...], float]:
    """The same tests on this version; a round whose first prefix differs is not looked at any further by the caller."""
    worker_state.subject()
    started = time.perf_counter()
    with worker_state.world().entered():
        return _observed(rounds, view, traced), time.perf_counter() - started


def _observed(rounds: tuple[Round, ...] | list[Round], view: View, traced: bool) -> tuple[tuple[Observation, ...], ...]:
    observer = _observer(view)
    found = []
    for each in rounds:
        observations = []
        for test in each.tests:
            _announce(test)
            observations.append(observer.observe(test, traced=traced))
        found.append(tuple(observations))
    return tuple(found)


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
    test: Test, view: View, limit: int, sampled: int, seconds: float, allowed: frozenset[Outcome] | None, gil: bool
) -> tuple[Explored, float]:
    """All outcomes of a test on this version, see `plait.judge.difference.explore`."""
    worker_state.subject()
    started = time.perf_counter()
    with worker_state.world().entered():
        _announce(test)
        ENGINE.gil = gil
        try:
            found = explore(
                Testbed(test, PLACES), view, limit=limit, sampled=sampled,
                deadline=time.monotonic() + seconds, allowed=allowed,
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


def _announce(test: Test) -> None:
    """Leave a note of what runs, for the case that this process does not survive it."""
    worker_state.note(test.as_lines())
