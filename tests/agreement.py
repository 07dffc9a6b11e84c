"""Every search against brute force, on random programs.

``python tests/agreement.py 600`` compares for ten minutes on fresh programs and prints what it found.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from plait.explore.bounded import Bounded
from plait.explore.capp.search import Capp
from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.explore.icb import Icb
from plait.explore.stateful import Stateful
from programs import Program, Search, mazurkiewicz_class, random_program

LIMIT = 300  # schedules of a program that brute force is given


class Disagreement(AssertionError):
    """A search that did not see what brute force sees."""


def agreeing_programs(start: int, count: int, limit: int = LIMIT) -> Iterator[tuple[int, Counter[str]]]:
    """The first ``count`` programs from a number on that brute force can exhaust, each compared and counted."""
    seed = start
    while count:
        counts = compare(seed, limit)
        if counts is not None:
            count -= 1
            yield seed, counts
        seed += 1


def compare(seed: int, limit: int = LIMIT) -> Counter[str] | None:
    """Compare all searches on one program; None if it has more than ``limit`` schedules."""
    program = random_program(seed)
    classes: set[Any] = set()
    truth = program.run(Dfs(), limit + 1, each=lambda engine: classes.add(mazurkiewicz_class(engine)))
    if not truth.exhausted or truth.executions > limit:
        return None
    counts = Counter(programs=1, dfs=truth.executions, classes=len(classes))
    _compare_reduction(seed, program, truth, classes, limit, counts)
    _same(seed, "icb", program.run(Icb(), limit + 1), truth, executions=truth.executions)
    stateful = program.run(Stateful(), limit + 1)
    _same(seed, "stateful", stateful, truth)
    counts["stateful"] += stateful.executions
    _same(seed, "guarded", program.run(Capp("stateful"), limit * 20), truth)
    bound = seed % 3
    bounded = program.run(Dfs(bound=bound), limit + 1)
    reduced = program.run(Bounded(bound), limit * 20)
    _same(seed, f"bounded to {bound}", reduced, bounded)
    _same(seed, f"icb to {bound}", program.run(Icb(bound), limit + 1), bounded, executions=bounded.executions)
    _same(seed, f"stateful to {bound}", program.run(Stateful(bound), limit * 20), bounded)
    counts["dfs bounded"] += bounded.executions
    counts["bounded"] += reduced.executions
    return counts


def _compare_reduction(
    seed: int, program: Program, truth: Search, classes: set[Any], limit: int, counts: Counter[str]
) -> None:
    seen: list[Any] = []
    found = program.run(Dpor(), limit * 20, each=lambda engine: seen.append(mazurkiewicz_class(engine)))
    _same(seed, "dpor", found, truth)
    if set(seen) != classes:
        raise Disagreement(f"program {seed}: dpor saw {len(set(seen))} of {len(classes)} classes")
    if not program.gil and len(seen) != len(set(seen)):
        raise Disagreement(f"program {seed}: dpor saw {len(set(seen))} classes in {len(seen)} complete executions")
    counts.update(
        {"dpor": found.executions, "redundant": found.redundant, "repeated": len(seen) - len(set(seen))},
        **{"programs with redundant": int(found.redundant > 0)},
    )


def _same(seed: int, name: str, found: Search, truth: Search, executions: int | None = None) -> None:
    if not found.exhausted:
        raise Disagreement(f"program {seed}: {name} did not come to an end")
    if found.outcomes != truth.outcomes:
        missed = truth.outcomes - found.outcomes
        raise Disagreement(f"program {seed}: {name} missed {len(missed)} of {len(truth.outcomes)} outcomes: {missed}")
    if executions is not None and found.executions != executions:
        raise Disagreement(f"program {seed}: {name} needed {found.executions} executions, not {executions}")


def long_run(seconds: float, start: int = 1_000_000, limit: int = 2_000) -> Counter[str]:
    """Compare on fresh programs for a while; raises at the first disagreement."""
    end = time.monotonic() + seconds
    total: Counter[str] = Counter()
    for _seed, counts in agreeing_programs(start, sys.maxsize, limit):
        total.update(counts)
        if time.monotonic() > end:
            break
    return total


if __name__ == "__main__":
    for what, number in long_run(float(sys.argv[1]), *map(int, sys.argv[2:])).items():
        print(f"{number:>12,} {what}")
