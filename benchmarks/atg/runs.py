"""One subject in a process of its own: runs of the approaches, as lines of JSON.

``python -m benchmarks.atg.runs NUMBER SETTING WHAT RUNS THRESHOLD [APPROACH...]``. SETTING is ``native`` (the
paper's) or ``controlled`` (plait's own; see `plait.explore.active.laboratory.ActiveLaboratory`). WHAT is
``saturation`` (to the end, without judging) or ``judged`` (the same, judged, to the first wrong execution if there is
one).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.atg.judgement import JudgingLaboratory, Wrong
from benchmarks.atg.study import MUTANTS, STRUCTURES, Subject
from plait.explore.active.laboratory import ActiveLaboratory
from plait.generate.atg.adaptive import AdaptiveTests
from plait.generate.atg.strategies import (
    DiverseTests,
    DynamicallyDiverseTests,
    RandomActiveTests,
    StaticallyDiverseTests,
    WidelyDiverseTests,
)
from plait.generate.catalogue import Hints, build_catalogue
from plait.generate.sequence import Sequences
from plait.judge.oracle.sequential import SequentialRunner
from plait.observe.places import PLACES
from plait.run.importing.world import World
from plait.subject.interface.discovery import discover
from plait.subject.interface.members import Interface

ROOT = Path(__file__).resolve().parents[2]
STRATEGIES = (RandomActiveTests, StaticallyDiverseTests, DynamicallyDiverseTests, DiverseTests, WidelyDiverseTests)
BY_NAME = {each.name: each for each in STRATEGIES}
INTEGERS = tuple(str(number) for number in range(1, 9))
"""The values of keys and elements: what the paper's assistant class would give out at random."""


class Bench:
    """One subject, loaded under control."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.world = World(PLACES)
        stem = subject.file.stem
        self._module = self.world.load(stem, file=subject.file, roots=[ROOT])
        self._name = f"{stem}:{subject.cls}"
        self.world.snapshot()

    def strategy(self, approach: str, seed: int, threshold: int) -> AdaptiveTests:
        """As section 6 sets it up: two threads, at most four calls each, the constructor as prefix."""
        owner = getattr(self._module, self.subject.cls)
        found = discover(owner, name=self._name)
        catalogue = build_catalogue(owner, found, hints=_values(found), seed=seed)
        random = Random(seed)
        sequences = Sequences(catalogue, SequentialRunner(), random)
        return BY_NAME[approach](sequences, random, threads=2, saturation=threshold, prefix_length=0)

    def run(self, approach: str, setting: str, what: str, seed: int, threshold: int) -> dict[str, Any]:
        """One run; its seconds are seconds of processor time."""
        native = setting == "native"
        laboratory = (
            ActiveLaboratory(PLACES, seed=seed, native=native) if what == "saturation"
            else JudgingLaboratory(self.subject.model, seed=seed, native=native)
        )  # fmt: skip
        trouble = None
        with self.world.entered():
            strategy = self.strategy(approach, seed, threshold)
            begun = time.process_time()
            try:
                while strategy.saturated is None:
                    strategy.iterate(laboratory)
            except Wrong as wrong:
                trouble = str(wrong)
            seconds = time.process_time() - begun
        return {
            "approach": approach, "seed": seed,
            "iroots": len(strategy.memory.exposed), "discovered": len(strategy.memory.discovered),
            "profiles": laboratory.profiles, "active_tests": laboratory.active_tests,
            "orchestrated": laboratory.orchestrated, "executions": laboratory.executions,
            "seconds": seconds, "trouble": trouble, "ended": strategy.saturated,
        }  # fmt: skip


def _values(interface: Interface) -> Hints:
    names = {each.name for method in interface.methods for each in method.parameters}
    return Hints(values={name: INTEGERS for name in sorted(names & {"key", "value"})})


def main() -> None:
    number, setting, what, runs, threshold, *approaches = sys.argv[1:]
    bench = Bench(next(each for each in (*STRUCTURES, *MUTANTS) if each.number == number))
    for approach in approaches or BY_NAME:
        bench.run(approach, setting, "saturation", 0, 1)  # warms the caches of rewritten and compiled code
    for seed in range(int(runs)):
        for approach in approaches or BY_NAME:
            print(json.dumps(bench.run(approach, setting, what, seed, int(threshold))), flush=True)


if __name__ == "__main__":
    main()
