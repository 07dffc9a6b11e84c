"""Executions of one hand-written test until one fails, none is left or the budget ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.explore.exploration import Exploration, explore
from plait.judge.divergence import explained
from plait.model.outcome import Finished
from plait.run.engine import ENGINE
from plait.run.operations import LOCAL, TIME

if TYPE_CHECKING:
    from plait.explore.strategy import Strategy
    from plait.judge.trial import Failure, Trial
    from plait.model.outcome import Divergence
    from plait.run.engine import Engine


@dataclass(slots=True)
class Search:
    """What was done and found; ``shared`` says whether threads touched anything in common."""

    exploration: Exploration
    shared: bool
    failure: Failure | None
    divergence: Divergence | None


def search(
    trial: Trial, strategy: Strategy, *, max_executions: int | None = None, max_seconds: float | None = None
) -> Search:
    """Explore until the first failure."""
    failures: list[Failure] = []
    shared: list[bool] = []

    def look(engine: Engine, _status: str) -> bool:
        if not shared:
            shared.append(_shares(engine))
        if isinstance(trial.outcome, Finished):
            return False
        failures.append(trial.failure())
        return True

    done = explore(
        trial.prepare, strategy, max_executions=max_executions, max_seconds=max_seconds,
        check=lambda _engine: trial.finish(), on_execution=look,
    )  # fmt: skip
    difference = None if done.divergence is None or failures else explained(done.divergence, ENGINE.trace)
    return Search(done, any(shared), failures[0] if failures else None, difference)


def _shares(engine: Engine) -> bool:
    """Whether two threads of the last execution touched the same thing."""
    users: dict[int, int] = {}
    for thread, loc, mode, *_ in engine.trace:
        if mode not in (LOCAL, TIME) and users.setdefault(engine.heap.roots[loc], thread) != thread:
            return True
    return bool(engine.pending)
