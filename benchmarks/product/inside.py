"""The work of a worker of `plait check` in a plain process: rates, or where the time goes.

``python -m benchmarks.product.inside FOLDER MODULE CLASS TESTS SEED rate|parts|work`` prints one line of JSON. ``rate``
advances the streams of a check, chunk by chunk as a worker does, and counts schedules by the processor's time; then
the engine executes the same tests with the same searches, as many schedules of each, and nothing is judged. ``work``
does the first of the two alone, ``parts`` with timers around what belongs together.

The tree of plait that is measured is the one that is imported: this file uses only what every tree has.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plait.commands.check.worker import stream as streams
from plait.commands.check.worker import tasks
from plait.explore.dpor import Dpor
from plait.explore.pos import Pos
from plait.explore.random_walk import RandomWalk
from plait.explore.runner import execute
from plait.generate.catalogue import Hints
from plait.judge.oracle.examine import SYSTEMATIC, Examined
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed
from plait.workers import state
from plait.workers.protocol import STREAMS, WorkerSpec

CHUNK = 25
LONG = 600.0
PARTS: dict[str, tuple[str, ...]] = {
    "generation": ("plait.generate.deeper:DeeperTests.next_test", "plait.generate.deeper:DeeperTests.feedback"),
    "orders": ("plait.judge.oracle.safety:specify", "plait.judge.oracle.lazy:LazyJudge._run"),
    "rewriting": ("plait.run.testbed:Testbed.__init__",),
    "judging": (
        "plait.judge.oracle.safety:Examination.judge", "plait.judge.oracle.specification:observe",
        "plait.judge.oracle.lazy:LazyJudge.fits", "plait.judge.oracle.examine:overlaps",
        "plait.judge.oracle.examine:Evidence.see",
    ),
    "search": ("plait.explore.dpor:Dpor.executed", "plait.explore.dpor:Dpor.next_prefix"),
    "minimising": ("plait.commands.check.worker.stream:Stream.found",),
    "chunks": ("plait.commands.check.worker.tasks:advance",),
}  # fmt: skip
"""What is counted together, innermost first: module and attribute. The engine's part is that of executions."""


class Timers:
    """Exclusive times: what runs inside of something else counts for itself alone."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._open: list[str] = []
        self._since = time.process_time()

    def around(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **named: Any) -> Any:
            self._count()
            self._open.append(part)
            try:
                return function(*args, **named)
            finally:
                self._count()
                self._open.pop()

        return timed

    def within(self, part: str) -> bool:
        """Whether something of this part is under way."""
        return part in self._open

    def _count(self) -> None:
        now = time.process_time()
        part = self._open[-1] if self._open else "other"
        self.spent[part] = self.spent.get(part, 0.0) + now - self._since
        self._since = now


def install(timers: Timers) -> None:
    """Put timers around the parts, wherever a module has taken a name from another one."""
    for part, places in PARTS.items():
        for place in places:
            module, _, path = place.partition(":")
            owner: Any = importlib.import_module(module)
            *outer, name = path.split(".")
            for each in outer:
                owner = getattr(owner, each)
            plain = getattr(owner, name)
            timed = timers.around(part, plain)
            setattr(owner, name, timed)
            for other in [] if outer else list(sys.modules.values()):
                if getattr(other, "__name__", "").startswith("plait.") and vars(other).get(name) is plain:
                    setattr(other, name, timed)
    run = type(ENGINE).execute

    def executed(*args: Any, **named: Any) -> Any:
        outer = next((each for each in ("generation", "orders", "minimising") if timers.within(each)), "engine")
        return timers.around(outer, run)(*args, **named)

    type(ENGINE).execute = executed  # type: ignore[method-assign]


def advanced(subject: str, name: str, tests: int, seed: int) -> dict[str, Any]:
    """Advance the streams of a check by so many tests; schedules, findings and the processor's time."""
    options = [streams.StreamOptions(name, seed=seed, stream=number) for number in range(STREAMS)]
    packed: dict[int, bytes] = {}
    started = time.process_time()
    for number, each in enumerate(options):
        packed[number] = tasks.begin_stream(subject, each, Hints(), None)
    begun = time.process_time()
    gc.freeze()
    made = schedules = 0
    found: list[str] = []
    over: set[int] = set()
    while made < tests and len(over) < STREAMS:
        for number in range(STREAMS):
            if number in over or made >= tests:
                continue
            packed[number], chunk = tasks.advance(packed[number], tasks.Portion(CHUNK, LONG))
            made += chunk.tests
            schedules += chunk.schedules
            found += [each.summary for each in chunk.findings]
            if chunk.over:
                over.add(number)
    spent = time.process_time() - begun
    return {
        "tests": made, "schedules": schedules, "findings": sorted(found), "cpu_s": spent, "begin_s": begun - started,
    }  # fmt: skip


class Noted:
    """Keeps the tests that a check explores, and how many schedules of each it has executed."""

    def __init__(self) -> None:
        self.tests: list[tuple[Test, int]] = []
        examine = streams.examine

        def noted(examination: Any, **named: Any) -> Examined:
            found = examine(examination, **named)
            self.tests.append((examination.bed.test, found.executions))
            return found

        streams.examine = noted  # type: ignore[assignment]


def engine_rate(tests: list[tuple[Test, int]]) -> float:
    """Schedules per second of the processor's time if nothing but the engine and the search runs them."""
    beds = [(Testbed(test, PLACES), count) for test, count in tests]
    executed = 0
    with state.world().entered():
        started = time.process_time()
        for bed, count in beds:
            executed += _same_schedules(bed, count)
        return executed / max(time.process_time() - started, 1e-9)


def _same_schedules(bed: Testbed, count: int) -> int:
    """As `plait.judge.oracle.examine`: reduction, one walk by chance, then samples."""
    search: Any = Dpor()
    for number in range(count):
        if number == 1:
            walk = RandomWalk(0)
            execute(bed.prepare, walk.next_prefix() or (), walk, free=walk.free)
            continue
        prefix = search.next_prefix() if number < SYSTEMATIC or not isinstance(search, Dpor) else None
        if prefix is None:
            search = Pos(0)
            prefix = search.next_prefix() or ()
        execute(bed.prepare, prefix, search, free=search.free)
        search.executed(ENGINE)
    return count


def main() -> None:
    folder, module, name, tests, seed, kind = sys.argv[1:]
    timers = Timers()
    if kind == "parts":
        install(timers)
    noted = Noted()
    with tempfile.TemporaryDirectory(prefix="plait-product-") as cache:
        state.use(WorkerSpec(module=module, qualname=name, roots=(Path(folder),), cache=Path(cache)))
        timers.spent.clear()
        found = advanced(f"{module}:{name}", name, int(tests), int(seed))
        if kind == "parts":
            found["parts"] = {part: spent for part, spent in timers.spent.items() if part != "other"}
        elif kind == "rate":
            found["engine_rate"] = engine_rate(noted.tests)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
