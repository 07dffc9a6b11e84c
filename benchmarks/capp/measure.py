"""One fault in a process of its own: what each search under each heuristic pays until the test fails.

``python -m benchmarks.capp.measure FOLDER '{"searches": [...], "heuristics": [...], ...}'`` prints one line of JSON for
each measurement.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.explore.capp.dpor import CappDpor
from plait.explore.capp.partition import prioritizer
from plait.explore.capp.search import BOUNDED, Capp
from plait.explore.dpor import Dpor
from plait.explore.runner import explore
from plait.explore.strategy import Strategy
from plait.judge.handwritten.trial import Trial
from plait.model.outcome import Finished
from plait.observe.places import PLACES
from plait.run.importing.world import World
from plait.subject.changes.impact_analysis import collect

if TYPE_CHECKING:
    from plait.run.engine import Engine
    from plait.subject.changes.impact import Impact

HERE = Path(__file__).resolve().parent
BOUND = 2


class Fault:
    """A port, loaded: its test and what the change impacts."""

    def __init__(self, folder: str) -> None:
        version = HERE / folder / "new"
        self.impact: Impact = collect(HERE / folder / "old", version)
        world = World(PLACES)
        module = world.load(f"test_{folder}", roots=(HERE / folder, version))
        world.snapshot()
        self.test = getattr(module, f"test_{folder}")

    def cost(self, search: str, heuristic: str, seed: int | None, limit: int, seconds: float) -> dict[str, Any]:
        """Schedules and transitions up to the first failure."""
        strategy = _strategy(search, heuristic, self.impact, seed)
        trial = Trial(None, [self.test], None)
        started = time.process_time()  # others may keep the machine busy

        def is_over(_engine: Engine, _status: str) -> bool:
            return not isinstance(trial.outcome, Finished) or time.process_time() - started > seconds

        done = explore(
            trial.prepare, strategy, max_executions=limit, check=lambda _engine: trial.finish(), on_execution=is_over,
            replay_every=0,
        )  # fmt: skip
        return {
            "search": search, "heuristic": heuristic, "seed": seed, "found": not isinstance(trial.outcome, Finished),
            "kind": trial.outcome.kind, "schedules": done.executions,
            "transitions": getattr(strategy, "transitions", None),
            "seconds": round(time.process_time() - started, 3), "points": len(self.impact),
        }  # fmt: skip


def _strategy(search: str, heuristic: str, impact: Impact, seed: int | None) -> Strategy:
    priority = None if heuristic == "BASIC" else prioritizer(heuristic, impact)
    if search == "dpor":
        return Dpor() if priority is None else CappDpor(priority)
    return Capp(search, priority, bound=BOUND if search in BOUNDED else None, seed=seed)


def main() -> None:
    """Measure what the command line says."""
    folder, order = sys.argv[1], json.loads(sys.argv[2])
    sys.path.insert(0, str(HERE / folder / "new"))
    importlib.invalidate_caches()
    fault = Fault(folder)
    for search in order["searches"]:
        for heuristic in order["heuristics"]:
            for seed in order["seeds"]:
                print(json.dumps(fault.cost(search, heuristic, seed, order["limit"], order["seconds"])), flush=True)


if __name__ == "__main__":
    main()
