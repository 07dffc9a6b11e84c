"""Executions of one hand-written test until one fails, none is left or the budget ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.explore.dpor import Dpor
from plait.explore.exploration import Exploration, explore
from plait.judge.divergence import explained
from plait.judge.trial import modelled
from plait.model.outcome import Finished
from plait.run.engine import ENGINE
from plait.run.operations import LOCAL, TIME

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    timed: bool = False  # in some execution somebody waited, or could have waited, with a time-out


def search(
    trial: Trial, strategy: Strategy, *, max_executions: int | None = None, max_seconds: float | None = None
) -> Search:
    """Explore until the first failure."""
    failures: list[Failure] = []
    shared: list[bool] = []
    timed = False

    def look(engine: Engine, _status: str) -> bool:
        nonlocal timed
        timed = timed or engine.timed
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
    return Search(done, any(shared), failures[0] if failures else None, difference, timed)


def only_without_gil(
    trial: Trial, failure: Failure, strategies: Iterable[Strategy], *, max_executions: int | None = None,
    max_seconds: float | None = None,
) -> tuple[bool | None, Failure]:  # fmt: skip
    """Return whether a build with the GIL can show a failure (None if it is not known), and the failure it shows.

    That it cannot is a claim: a search without a bound must have come to its end, and once more with time-outs at any
    moment if there are any, because that they fire only when nothing else can run is a rule of ours.
    """
    any_timeouts = ENGINE.any_timeouts
    for strategy in strategies:
        with modelled(gil=True, any_timeouts=any_timeouts):
            today = search(trial, strategy, max_executions=max_executions, max_seconds=max_seconds)
        if today.failure is not None:
            return True, today.failure
        if not today.exploration.exhausted or getattr(strategy, "bound", None) is not None:
            continue
        if today.timed and not any_timeouts:
            with modelled(gil=True, any_timeouts=True):
                early = search(trial, Dpor(), max_executions=max_executions, max_seconds=max_seconds)
            if early.failure is not None or not early.exploration.exhausted:
                return None, failure
        return False, failure
    return None, failure


def _shares(engine: Engine) -> bool:
    """Whether two threads of the last execution touched the same thing."""
    users: dict[int, int] = {}
    for thread, loc, mode, *_ in engine.trace:
        if mode not in (LOCAL, TIME) and users.setdefault(engine.heap.roots[loc], thread) != thread:
            return True
    return bool(engine.pending)
