"""One exploring call of each tool, in the same form, over the same unchanged programs.

A loader is called once per process and returns the call: ``explore(stop, seconds)`` explores until the first failure
(``stop``) or until nothing is left, for at most ``seconds``. Options are the tools' defaults, except that nobody
replays: replays are no executions of the search, and would lower the rates.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.engine.catalogue import FOLDERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.engine.catalogue import Subject

NO_LIMIT = 10**9


class Explored(NamedTuple):
    """What one exploring call did; ``redundant`` counts executions cut short because they lead to nothing new."""

    executions: int
    failed: bool
    exhausted: bool
    redundant: int = 0
    trouble: str = ""


# -- plait --------------------------------------------------------------------------------------------------------

STRATEGIES = {
    "plait-dpor": ("plait.explore.dpor", "Dpor"),
    "plait-dfs": ("plait.explore.dfs", "Dfs"),
    "plait-icb": ("plait.explore.icb", "Icb"),
    "plait-pos": ("plait.explore.pos", "Pos"),
}


def _plait(tool: str, subject: Subject) -> Callable[[bool, float], Explored]:
    from plait.explore.runner import explore
    from plait.observe.places import PLACES
    from plait.run.importing.world import World

    world = World(PLACES)
    module = world.load(subject.module, roots=FOLDERS)
    world.snapshot()
    home, name = STRATEGIES[tool]
    strategy_class = getattr(importlib.import_module(home), name)
    program: Any = None

    def prepare() -> list[Callable[[], object]]:
        nonlocal program
        program = module.Program(*subject.arguments)
        return program.bodies

    def failed(engine: Any, status: str) -> bool:
        for thread in engine.threads:
            if thread.error is not None:
                return True
        return not program.holds() if status == "finished" else status in ("deadlock", "hang")

    def search(stop: bool, seconds: float) -> Explored:
        failures = 0

        def judge(engine: Any, status: str) -> bool:
            nonlocal failures
            failures += failed(engine, status)
            return stop and failures > 0

        done = explore(prepare, strategy_class(), max_seconds=seconds, on_execution=judge, replay_every=0)
        return Explored(done.executions, failures > 0, done.exhausted, done.redundant)

    return search


# -- the peers ----------------------------------------------------------------------------------------------------


def _imported(subject: Subject) -> Any:
    sys.path[:0] = [str(folder) for folder in FOLDERS]
    return importlib.import_module(subject.module)


def _frontrun(tool: str, subject: Subject) -> Callable[[bool, float], Explored]:
    import frontrun

    module = _imported(subject)
    made = 0

    def setup() -> Any:
        nonlocal made
        made += 1
        return module.Program(*subject.arguments)

    def worker(number: int) -> Callable[[Any], object]:
        return lambda program: program.bodies[number]()

    workers = [worker(number) for number in range(len(setup().bodies))]

    def explore(stop: bool, seconds: float) -> Explored:
        nonlocal made
        made = 0
        start = time.perf_counter()
        try:
            result = frontrun.explore(
                setup=setup, workers=workers, invariant=lambda program: program.holds(),
                stop_on_first=stop, total_timeout=seconds, reproduce_on_failure=0,
            )  # fmt: skip
        except Exception as error:  # what a thread raises leaves the exploring call as it is, and ends it
            return Explored(made, failed=True, exhausted=False, trouble=f"{type(error).__name__} escaped the call")
        if result.property_holds is None:
            return Explored(result.num_explored, failed=False, exhausted=False, trouble="inconclusive")
        failed = not result.property_holds
        complete = time.perf_counter() - start < seconds and not (failed and stop)
        return Explored(result.num_explored, failed, complete)

    return explore


def _interleave(tool: str, subject: Subject) -> Callable[[bool, float], Explored]:
    import interleave_test

    module = _imported(subject)

    class Timed(interleave_test.DFSStrategy):
        """Its own search, ended by the clock."""

        def __init__(self, seconds: float) -> None:
            super().__init__()
            self._end = time.perf_counter() + seconds

        def more(self) -> bool:
            return bool(super().more()) and time.perf_counter() < self._end

    def forgiving(body: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            try:
                body()
            except Exception:
                return

        return run

    def model(judged: bool) -> None:
        with interleave_test.no_interleave():
            program = module.Program(*subject.arguments)
            bodies = program.bodies if judged else [forgiving(body) for body in program.bodies]
        tasks = [interleave_test.spawn(body) for body in bodies]
        for task in tasks:
            task.join()
        if judged:
            with interleave_test.no_interleave():
                assert program.holds()

    def explore(stop: bool, seconds: float) -> Explored:
        # It has no search beyond a failure: to go on, failures are kept from it. A deadlock cannot be.
        result = interleave_test.explore(
            lambda: model(stop), strategy=Timed(seconds), iterations=NO_LIMIT, seed=0, raise_on_failure=False,
            exclude=[__file__],
        )  # fmt: skip
        return Explored(result.schedules_run, not result.ok, result.exhausted)

    return explore


LOADERS: dict[str, Callable[[str, Subject], Callable[[bool, float], Explored]]] = {
    **dict.fromkeys(STRATEGIES, _plait),
    "frontrun-dpor": _frontrun,
    "interleave-test-dfs": _interleave,
}
PEERS = {"frontrun-dpor": "frontrun", "interleave-test-dfs": "interleave_test"}


def available() -> list[str]:
    """The tools that this interpreter has."""
    homes = {**{tool: home for tool, (home, _name) in STRATEGIES.items()}, **PEERS}
    return [tool for tool in LOADERS if importlib.util.find_spec(homes[tool]) is not None]
