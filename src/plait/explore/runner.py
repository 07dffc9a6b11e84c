"""The only module that runs executions: a single one, or as many as a strategy asks for.

Nothing else calls `Engine.execute`. Besides its strategy, an execution depends on settings of the engine (the memory
model, the rule for time-outs, the recorder of its steps). `model` sets them for a while and restores them, also when
the execution raises.

`explore` runs many executions of one program and records what they covered. "Exhausted" is claimed only if the strategy
has ended, every execution ran to its own end, and replayed executions did the same again. In all other cases the result
says what stopped the search and, if known, how much is left.
"""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.explore.replay import Departure, Recorded, Replay
from plait.model.counted import counted
from plait.run.engine import DIVERGED, ENGINE, HANG, REDUNDANT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.explore.strategy import Strategy
    from plait.model.schedule import Schedule
    from plait.run.engine import Chooser, Engine
    from plait.run.importing.modulestate import ModuleState
    from plait.run.vthread import VThread

_DONE = "all done"
_REPLAY_EVERY = 50  # one execution in so many is executed again and compared


def execute(
    prepare: Callable[[], Sequence[Callable[[], object]]],
    prefix: Sequence[int] = (),
    chooser: Chooser | None = None,
    *,
    free: bool = False,
    finish: Callable[[], None] | None = None,
    backend: str = "auto",
) -> str:
    """Run one execution under the current settings and return its status; see `Engine.execute` for the arguments."""
    return ENGINE.execute(prepare, prefix, chooser, free=free, finish=finish, backend=backend)


class model:  # noqa: N801 - reads as a function; a generator would run under control, and cost ten times as much
    """A context manager that sets what executions depend on and restores it; None leaves a setting as it is.

    ``gil`` chooses the memory model and ``any_timeouts`` the rule for time-outs. A ``schedule`` sets both: it is
    valid only in the model in which it was recorded. ``recorder`` is called for every step. ``modules`` is the module
    state that is restored after each execution.
    """

    __slots__ = ("_saved", "_wanted")

    def __init__(
        self,
        *,
        gil: bool | None = None,
        any_timeouts: bool | None = None,
        schedule: Schedule | None = None,
        recorder: Callable[[Engine, VThread, int, int, int], None] | None = None,
        modules: ModuleState | None = None,
        max_steps: int | None = None,
    ) -> None:
        if schedule is not None:
            gil, any_timeouts = schedule.gil, schedule.any_timeouts
        self._wanted = (gil, any_timeouts, recorder, modules, max_steps)

    def __enter__(self) -> None:
        self._saved = (ENGINE.gil, ENGINE.any_timeouts, ENGINE.recorder, ENGINE.modules, ENGINE.max_steps)
        gil, any_timeouts, recorder, modules, max_steps = self._wanted
        if gil is not None:
            ENGINE.gil = gil
        if any_timeouts is not None:
            ENGINE.any_timeouts = any_timeouts
        if recorder is not None:
            ENGINE.recorder = recorder
        if modules is not None:
            ENGINE.modules = modules
        if max_steps is not None:
            ENGINE.max_steps = max_steps

    def __exit__(self, *_: object) -> None:
        ENGINE.gil, ENGINE.any_timeouts, ENGINE.recorder, ENGINE.modules, ENGINE.max_steps = self._saved


@dataclass(slots=True)
class Exploration:
    """The result of a search. ``fraction`` is the part of the search that was covered, None if unknown."""

    strategy: str
    executions: int = 0
    redundant: int = 0
    elapsed: float = 0.0
    exhausted: bool = False
    claim: str | None = None
    statuses: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    replays: int = 0
    divergence: Departure | None = None
    fraction: float | None = None
    ended: str = _DONE

    @property
    def left(self) -> float | None:
        """The estimated number of executions that the search still needs; None if unknown."""
        if self.exhausted:
            return 0.0
        return None if not self.fraction else self.executions * (1 / self.fraction - 1)

    def statement(self) -> str:
        """Return one sentence for the report, which claims only what was seen."""
        runs = counted(self.executions, "execution")
        if self.divergence is not None:
            return f"Nothing is claimed: the same schedule did not give the same execution ({self.divergence}), {runs}."
        cut = self.statuses[HANG]
        if self.exhausted:
            return f"Covered {self.claim} in {runs}."
        if cut and self.ended == _DONE:
            return f"Covered {self.claim} in {runs}, except behind {cut} that did not end and {_was(cut)} cut."
        covered = f"{self.claim}; " if self.claim else ""
        if self.fraction is None:
            return f"Stopped ({self.ended}) after {runs} of {self.strategy}: {covered}what is left is not known."
        left = "" if not self.left else f", about {self.left:,.0f} executions are left"
        return f"Stopped ({self.ended}) after {runs}: about {self.fraction:.0%} of the search is covered{left}."


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def explore(
    prepare: Callable[[], Sequence[Callable[[], object]]],
    strategy: Strategy,
    *,
    max_executions: int | None = None,
    max_seconds: float | None = None,
    check: Callable[[Engine], None] | None = None,
    on_execution: Callable[[Engine, str], bool] | None = None,
    replay_every: int = _REPLAY_EVERY,
) -> Exploration:
    """Run executions until the strategy, a limit or ``on_execution`` (by returning True) ends the search.

    ``check`` runs at the end of each execution, while threads and objects are still in place; ``on_execution`` runs
    after it, with the trace. The first execution and every ``replay_every``-th one is executed again and compared (0:
    none is).
    """
    found = Exploration(strategy.name)
    engine = ENGINE
    finish = None if check is None else lambda: check(engine)
    started = time.perf_counter()
    collecting = gc.isenabled()
    gc.disable()  # the engine collects between executions, never inside one
    try:
        while True:
            ended = None
            if max_executions is not None and found.executions >= max_executions:
                ended = "limit of executions"
            elif max_seconds is not None and time.perf_counter() - started >= max_seconds and found.executions:
                ended = "time limit"
            if ended is not None:
                found.fraction = _progress(strategy)
            prefix = strategy.next_prefix()
            if prefix is None or ended is not None:
                found.ended = ended if prefix is not None and ended is not None else _DONE
                break
            status = engine.execute(prepare, prefix, strategy, free=strategy.free, finish=finish)
            strategy.executed(engine)
            found.executions += 1
            found.statuses[status] += 1
            if on_execution is not None and on_execution(engine, status):
                found.ended = "as asked"
                found.fraction = _progress(strategy)
                break
            if replay_every and (found.executions == 1 or found.executions % replay_every == 0):
                _replay(found, engine, prepare)
            if found.divergence is None:
                departed = status == DIVERGED
                found.divergence = _departed(engine, prefix) if departed else getattr(strategy, "divergence", None)
            if found.divergence is not None:
                found.ended = "not deterministic"
                break
    finally:
        if collecting:
            gc.enable()
    found.elapsed = time.perf_counter() - started
    found.redundant = found.statuses[REDUNDANT]
    found.claim = getattr(strategy, "claim", None)
    found.exhausted = found.ended == _DONE and strategy.exhausted and not found.statuses[HANG]
    if found.exhausted:
        found.fraction = 1.0
    return found


def _progress(strategy: Strategy) -> float | None:
    progress: Callable[[], float] | None = getattr(strategy, "progress", None)
    return None if progress is None else progress()


def _replay(found: Exploration, engine: Engine, prepare: Callable[[], Sequence[Callable[[], object]]]) -> None:
    """Execute the last schedule again; a search cannot be trusted if the two executions differ."""
    if engine.status in (REDUNDANT, DIVERGED, HANG):
        return
    replay = Replay(Recorded(engine))
    execute(prepare, replay.next_prefix() or (), replay, free=True)
    replay.executed(engine)
    found.replays += 1
    found.divergence = replay.divergence


def _departed(engine: Engine, prefix: Sequence[int]) -> Departure:
    """Return the departure for a prefix that worked before but could not be followed."""
    step = engine.step
    wanted = prefix[step] if step < len(prefix) else -1
    able = ", ".join(map(str, engine.enabled)) or "nobody"
    return Departure(step, f"thread {wanted} to be able to run", able, "leftover state or an uncontrolled value")
