"""One run of one strategy on one class, in a process of its own: tests and time until the first violation.

The strategies are the paper's, without what `plait check` adds to them. ``controlled`` explores the schedules of every
test; ``native`` executes each once on real threads, un-rewritten, with the exception and deadlock oracle alone: the
paper's setting; ``single`` does the same under control, with one schedule at random, and so comes out the same on every
machine. Prints one line of JSON.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from plait.explore.random_walk import RandomWalk
from plait.generate.catalogue import build_catalogue
from plait.generate.pairs import Pair, PairTable
from plait.generate.registry import make_generator
from plait.judge.oracle.examine import examine
from plait.judge.oracle.meetings import SeenAlone
from plait.judge.oracle.native import NativeRunner, run_once
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.safety import Examination
from plait.judge.oracle.sequential import SequentialRunner
from plait.model.test import Test
from plait.observe.overlap import overlaps
from plait.observe.places import PLACES
from plait.observe.recording import schedule_of
from plait.run.engine import ENGINE, FINISHED_RUN
from plait.run.importing.world import World, find_in
from plait.subject.interface.discovery import discover

PUBLISHED = ("published", "naive")  # CovCon by what its paper says alone; the second with another prioritisation
FAILURES = ("exception", "deadlock", "hang")  # what the paper's oracle sees


class LeastTried(PairTable):
    """The naive prioritisation of section VI-E: the pairs that were tried least, whatever was covered."""

    def lowest(self, candidates: object) -> list[Pair]:
        among = list(candidates)  # type: ignore[call-overload]
        least = min((self.records[each].tried for each in among), default=0)
        return [each for each in among if self.records[each].tried == least]


class Clock:
    """Adds up where the time goes (Fig. 4): of the processor, unless threads are to wait for each other in it."""

    def __init__(self, *, native: bool) -> None:
        self._now = time.perf_counter if native else time.process_time
        self.started = self._last = self._now()
        self.spent = {"generate": 0.0, "execute": 0.0, "coverage": 0.0}

    def lap(self, what: str) -> None:
        now = self._now()
        self.spent[what] += now - self._last
        self._last = now

    @property
    def elapsed(self) -> float:
        return self._now() - self.started


def measure(root: Path, module: str, name: str, strategy: str, setting: str, seed: int, seconds: float) -> dict:
    if setting == "native":
        sys.path.insert(0, str(root))
        return _measure(
            find_in(importlib.import_module(module), name), f"{module}:{name}", strategy, seed, seconds, setting
        )
    world = World(PLACES)
    loaded = world.load(module, roots=[root])
    world.snapshot()
    gc.freeze()
    with world.entered():
        return _measure(find_in(loaded, name), f"{module}:{name}", strategy, seed, seconds, setting)


def _measure(owner: type, subject: str, strategy: str, seed: int, seconds: float, setting: str) -> dict:
    native = setting == "native"
    interface = discover(owner, name=subject)
    public = {method.name for method in interface.methods}
    probes = probes_of(interface)
    run = NativeRunner() if native else SequentialRunner()
    wanted = "covcon" if strategy in PUBLISHED else strategy
    catalogue = build_catalogue(owner, interface, seed=seed)
    meetings = SeenAlone() if strategy == "covcon" and not native else None
    tests = make_generator(wanted, catalogue, run, seed=seed, repeat=setting != "controlled", meetings=meetings)
    if strategy == "naive":
        tests.pairs.__class__ = LeastTried
    clock = Clock(native=native)
    made = executions = 0
    found = None
    coverage: list[tuple[float, int, int]] = []
    random = Random(seed)
    while found is None and clock.elapsed < seconds:
        test = tests.next_test()
        if test is None:
            break
        made += 1
        clock.lap("generate")
        if native:
            found, covered = run_once(test, owner, public)
            executions += 1
        elif setting == "single":
            found, covered = _single(test, random.randrange(1 << 30), public)
            executions += 1
        else:
            examined = examine(Examination(test, PLACES, probes), seed=random.randrange(1 << 30), public=public)
            found = examined.violation and (examined.violation.exception or examined.violation.kind)
            covered = examined.covered
            executions += examined.executions
        clock.lap("execute")
        tests.feedback(test, covered)
        coverage.append((round(clock.elapsed, 3), made, tests.pairs.covered))
        clock.lap("coverage")
    step = max(1, len(coverage) // 50)
    return {
        "found": found, "tests": made, "executions": executions, "seconds": round(clock.elapsed, 3),
        "pairs": len(tests.pairs.records),
        "covered": tests.pairs.covered, "breakdown": {name: round(spent, 3) for name, spent in clock.spent.items()},
        "coverage": coverage[::step],
    }  # fmt: skip


def _single(test: Test, seed: int, public: set[str]) -> tuple[str | None, Counter[Pair]]:
    """One schedule by chance; the orders of the calls are run only for an execution that raised or got stuck."""
    examination = Examination(test, PLACES)
    bed, walk, covered = examination.bed, RandomWalk(seed), Counter()
    ENGINE.execute(
        bed.prepare, walk.next_prefix() or (), walk, free=walk.free,
        finish=lambda: covered.update(overlaps(ENGINE, bed, public)),
    )  # fmt: skip
    if (
        ENGINE.status == FINISHED_RUN
        and not any(thread.error for thread in ENGINE.threads)
        and not any(done.error for done in bed.done)
    ):
        return None, covered
    violation, _lost = examination.replay(schedule_of(ENGINE))
    return (violation.exception or violation.kind if violation and violation.kind in FAILURES else None), covered


if __name__ == "__main__":
    root, module, name, strategy, setting, seed, seconds = sys.argv[1:]
    print(json.dumps(measure(Path(root), module, name, strategy, setting, int(seed), float(seconds))))
