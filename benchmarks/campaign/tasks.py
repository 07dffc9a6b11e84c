"""What the workers of this table do; the same functions also run without workers, for comparison."""

from __future__ import annotations

import time
from typing import Any

from plait.errors import UsageError
from plait.generate.catalogue import build_catalogue
from plait.generate.registry import make_generator
from plait.judge.oracle.examine import examine
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.safety import Examination
from plait.judge.oracle.sequential import SequentialRunner
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.subject.interface.discovery import discover
from plait.workers import state

BATCH = 5  # tests that a worker gets at a time


def make(name: str, count: int, seed: int) -> list[dict[str, Any]]:
    """Generate tests of the subject."""
    owner = state.subject()
    with state.world().entered():
        catalogue = build_catalogue(owner, discover(owner, name=name), seed=seed)
        strategy = make_generator("covcon", catalogue, SequentialRunner(), seed=seed, threads=2)
        tests = (strategy.next_test() for _ in range(count))
        return [test.as_json() for test in tests if test is not None]


def explore(name: str, tests: list[dict[str, Any]]) -> dict[str, Any]:
    """Explore each test; verdicts, executions, and the processor's time they took."""
    owner = state.subject()
    verdicts, executions = [], 0
    started = time.process_time()
    with state.world().entered():
        probes = probes_of(discover(owner, name=name))
        for data in tests:
            test = Test.from_json(data)
            state.note(test.as_lines())
            try:
                examined = examine(Examination(test, PLACES, probes))
            except UsageError:
                verdicts.append("unusable")
                continue
            executions += examined.executions
            verdicts.append(str(examined.violation.cause) if examined.violation is not None else "none")
    return {"verdicts": verdicts, "executions": executions, "cpu_s": time.process_time() - started}


def added(answers: list[dict[str, Any]], wall: float) -> dict[str, Any]:
    """The figures of all batches together."""
    return {
        "executions": sum(answer["executions"] for answer in answers),
        "cpu_s": sum(answer["cpu_s"] for answer in answers),
        "wall_s": wall,
    }
