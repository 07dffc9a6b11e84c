"""What the model of the interpreter allows for each form: every schedule of two threads that make one update each."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.forms.table import forms, module_source
from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.forms.table import Form

MODELS = {"free-threaded": False, "gil": True}
SEARCHES = {"dpor": Dpor, "dfs": Dfs}
MAX_SCHEDULES = 20_000
UPDATES = 2


class Explored(NamedTuple):
    """What a search showed: the endings (the count, or what was raised), in how many executions, and if that is all."""

    endings: frozenset[str]
    executions: int
    exhausted: bool

    @property
    def torn(self) -> bool:
        """Whether an update can be lost or raise."""
        return self.endings != {str(UPDATES)}


def load(folder: Path) -> Any:
    """The forms as a module under test."""
    (folder / "forms_under_test.py").write_text(module_source())
    world = World(PLACES, cache=folder / "code")
    module = world.load("forms_under_test", roots=[folder])
    world.snapshot()
    return module


def explore(make: Any, search: Any, *, gil: bool, limit: int = MAX_SCHEDULES) -> Explored:
    """Run the schedules that a search asks for."""
    endings: set[str] = set()
    executions = 0
    before, ENGINE.gil = ENGINE.gil, gil
    counts: list[Any] = []

    def prepare() -> list[Any]:
        step, count = make()
        counts[:] = [count]
        return [step, step]

    def finish() -> None:
        if ENGINE.status != "redundant":
            errors = sorted(type(thread.error).__name__ for thread in ENGINE.threads if thread.error is not None)
            endings.add(" ".join([str(counts[0]()), *errors]) if ENGINE.status == "finished" else ENGINE.status)

    try:
        while executions < limit and (prefix := search.next_prefix()) is not None:
            ENGINE.execute(prepare, prefix, search, free=search.free, finish=finish)
            search.executed(ENGINE)
            executions += 1
    finally:
        ENGINE.gil = before
    return Explored(frozenset(endings), executions, search.exhausted)


def answers(limit: int = MAX_SCHEDULES) -> Iterator[tuple[Form, dict[str, Explored]]]:
    """By form, what each search shows in each model ("gil dpor")."""
    with tempfile.TemporaryDirectory() as folder:
        module = load(Path(folder))
        for form in forms():
            make = getattr(module, f"form_{form.identifier}")
            yield (
                form,
                {
                    f"{model} {name}": explore(make, search(), gil=gil, limit=limit)
                    for model, gil in MODELS.items()
                    for name, search in SEARCHES.items()
                },
            )
