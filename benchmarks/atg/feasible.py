"""Active testing of random tests of one structure, held against everything that exhaustive exploration shows.

``python -m benchmarks.atg.feasible NUMBER`` prints one line of JSON. Tests with more classes of equivalent executions
than `MOST` are left out.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.atg.study import STRUCTURES
from plait.explore.active.laboratory import ActiveLaboratory
from plait.explore.active.testing import ActiveTest, profile
from plait.explore.dpor import Dpor
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.run.importing.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.observe.iroots import Sighting

ROOT = Path(__file__).resolve().parents[2]
TESTS = 8
MOST = 1500
_LIST = ("insert(1)", "insert(2)", "remove(1)", "remove(2)", "contains(1)")
CALLS: dict[str, tuple[tuple[str, ...], int]] = {
    "C1": (_LIST, 3), "C2": (_LIST, 2), "C3": (_LIST, 2),
    "C4": (("enqueue(1)", "dequeue()", "size()"), 3),
    "C5": (("push(1)", "pop()"), 2),
    "C6": (("enqueue(1)", "dequeue()"), 3), "C7": (("enqueue(1)", "dequeue()"), 2),
    "C8": (("push(1)", "pop()"), 2),
    "C9": (("insert(1, 7)", "insert(3, 8)", "erase(1)", "find(3)"), 3),
}  # fmt: skip
"""What the threads call, and how often each of them at most."""


class Asked:
    """A search that was already asked for its next prefix."""

    def __init__(self, search: Dpor, prefix: Sequence[int]) -> None:
        self._search = search
        self._prefix = prefix

    def next_prefix(self) -> Sequence[int]:
        return self._prefix

    def __getattr__(self, name: str) -> Any:
        return getattr(self._search, name)


def feasible(execute: Callable[[Any, bool], Sighting | None]) -> set[str] | None:
    """Everything that happens in any class of equivalent executions; None if there are too many."""
    search, happened = Dpor(), set[str]()
    for _ in range(MOST):
        prefix = search.next_prefix()
        if prefix is None:
            return happened
        sighting = execute(Asked(search, prefix), False)
        assert sighting is not None
        happened |= sighting.happened
    return None


def compare(number: str, tests: int = TESTS) -> dict[str, int]:
    """Instances that are possible, and exposed; attempts for those that were aimed at and exposed."""
    subject = next(each for each in STRUCTURES if each.number == number)
    world = World(PLACES)
    world.load(subject.file.stem, file=subject.file, roots=[ROOT])
    world.snapshot()
    imported = f"from {subject.file.stem} import {subject.cls}"
    calls, longest = CALLS[number]
    chance = Random(number)
    sums = {"tests": 0, "possible": 0, "exposed": 0, "infeasible": 0, "aimed": 0, "attempts": 0}
    with world.entered():
        while sums["tests"] < tests:
            suffixes = [[f"x.{chance.choice(calls)}" for _ in range(chance.randint(1, longest))] for _ in range(2)]
            test = Test.from_lines([imported], [f"x = {subject.cls}()"], suffixes)
            laboratory = ActiveLaboratory(PLACES)
            execute = partial(laboratory.run, test, laboratory.bed(test))
            every = feasible(execute)
            if every is None:
                continue
            sums["tests"] += 1
            found = profile(execute, threads=2, seed=sums["tests"])
            done = ActiveTest(execute, found, lambda _iroot: True).run()
            met = {iroot: count for iroot, count in done.attempts.items() if iroot in found.happened}
            sums["possible"] += len(every)
            sums["exposed"] += len(found.happened & every)
            sums["infeasible"] += len(found.happened - every)
            sums["aimed"] += len(met)
            sums["attempts"] += sum(met.values())
    return sums


if __name__ == "__main__":
    print(json.dumps(compare(sys.argv[1])))
