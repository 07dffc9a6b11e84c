"""One program in a process of its own: the schedules that each search needs until it fails.

``python -m benchmarks.sctbench.measure NAME '{"searches": [...], "seeds": 20, "limit": 10000, "seconds": 60}'`` prints
one line of JSON for each search. A search that has no seed runs once. With ``sound`` the sound version is explored.
"""

from __future__ import annotations

import json
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.sctbench.catalogue import PROGRAMS, PROGRAMS_FOLDER
from plait.explore.registry import make_search
from plait.explore.runner import Exploration, explore
from plait.judge.handwritten.trial import Trial
from plait.model.choices import SEEDED
from plait.model.outcome import Finished
from plait.observe.places import PLACES
from plait.run.importing.world import World

if TYPE_CHECKING:
    from benchmarks.sctbench.catalogue import Program
    from plait.run.engine import Engine

BOUND = 2  # preemptions of icb and delay, as in `plait explore`


class Subject:
    """A program, loaded."""

    def __init__(self, program: Program, *, sound: bool) -> None:
        world = World(PLACES)
        module = world.load(program.module, roots=(PROGRAMS_FOLDER,))
        world.snapshot()
        self.test = getattr(module, program.sound if sound else program.function)

    def explored(self, search: str, seed: int, limit: int, seconds: float) -> tuple[str, Exploration, float]:
        """Search for the first failure: its kind (``pass`` if there is none), the account, processor time."""
        trial = Trial(None, [self.test], None)
        started = time.process_time()  # others may keep the machine busy

        def is_over(_engine: Engine, _status: str) -> bool:
            return not isinstance(trial.outcome, Finished) or time.process_time() - started > seconds

        done = explore(
            trial.prepare, make_search(search, None, BOUND, seed, None), max_executions=limit,
            check=lambda _engine: trial.finish(), on_execution=is_over, replay_every=0,
        )  # fmt: skip
        return trial.outcome.kind, done, time.process_time() - started


def measured(subject: Subject, search: str, order: dict[str, Any]) -> dict[str, Any]:
    """The median over seeds: None if half of them or more found nothing. ``seconds`` are for all seeds together."""
    limit, left = order["limit"], order["seconds"]
    results, kinds, ended, spent = [], [], [], 0.0
    for seed in range(order["seeds"] if search in SEEDED else 1):
        if spent > left:
            break
        kind, done, seconds = subject.explored(search, seed, limit, left - spent)
        spent += seconds
        if kind != "pass":
            kinds.append(kind)
        elif spent > left and not done.exhausted and done.executions < limit and results:
            break  # no figure: the time for this search was over
        results.append(done.executions if kind != "pass" else None)
        ended.append(done.exhausted)
    found = [float("inf") if each is None else each for each in results]
    middle = median(found)
    return {
        "search": search, "found": middle < float("inf"), "schedules": middle if middle < float("inf") else None,
        "found_in": len(kinds), "seeds": len(results), "kinds": sorted(set(kinds)), "exhausted": all(ended),
        "most": max((each for each in results if each is not None), default=None), "seconds": round(spent, 2),
    }  # fmt: skip


def main() -> None:
    """Measure what the command line says."""
    name, order = sys.argv[1], json.loads(sys.argv[2])
    program = next(each for each in PROGRAMS if each.name == name)
    subject = Subject(program, sound=order.get("sound", False))
    for search in order["searches"]:
        print(json.dumps(measured(subject, search, order)), flush=True)


if __name__ == "__main__":
    main()
