"""Tests written by hand: a set-up, what each thread does, and what must hold in the end.

    from plait import explore_threads

    def test_no_overdraft():
        explore_threads(
            setup=lambda: Account(10),
            threads=[lambda account: account.withdraw(8), lambda account: account.withdraw(10)],
            check=lambda account: account.balance >= 0,
        )

Nothing else is needed: no launcher, no import order, no change of the code under test. The functions given, and the
modules of the project they use, are brought under control while the exploration runs and given back afterwards.
"""

from __future__ import annotations

import functools
import random
import sys
import types
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from plait.errors import UsageError
from plait.explore.registry import STRATEGIES, make_strategy
from plait.explore.runner import model
from plait.judge.handwritten.search import ScheduleSearch, only_without_gil, search
from plait.judge.handwritten.trial import Failure, RecordedTrial, Trial
from plait.judge.handwritten.verdict import Verdict
from plait.judge.minimise.schedules import simplify
from plait.model.choices import BACKENDS, MODELS, TIMEOUTS
from plait.model.outcome import Deadlock, Divergence, Finished, Hang
from plait.model.schedule import Schedule
from plait.observe.places import PLACES, is_machinery
from plait.observe.recording import as_step
from plait.observe.spots import lambda_text
from plait.report.layout import as_text, terminal_layout
from plait.report.story import story
from plait.run.asked import virtual_identity
from plait.run.engine import ENGINE
from plait.run.foreign_time import virtual_clocks
from plait.run.foreign_waits import later_threads_outside, virtual_waits
from plait.run.importing.adopt import Adopter, is_standard
from plait.run.importing.codes import Library
from plait.run.importing.importer import mirrored_imports
from plait.run.importing.mirror import Mirror
from plait.run.importing.modulestate import ModuleState
from plait.run.importing.world import cache_folder
from plait.run.native.bed import switching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from plait.model.finding import AccessStep

_DEFAULT_EXECUTIONS = 10_000
_UNDISTURBED = 60.0  # seconds for which other threads of the process do not interrupt an exploration unasked


class InterleavingError(AssertionError):
    """Some interleaving makes the test fail; the message tells which, ``verdict`` has it as data."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(as_text(story(verdict, terminal_layout()._replace(hint=""))))
        self.verdict = verdict


class ReplayLostError(AssertionError):
    """A schedule to be replayed no longer fits the code, so that its passing shows nothing."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(
            f"the schedule no longer fits the code: {verdict.lost}. Nothing failed, but that shows nothing; "
            "explore again, without replay="
        )
        self.verdict = verdict


def raise_for_failure(verdict: Verdict) -> None:
    """Raise `InterleavingError` (or `ReplayLostError`) unless the test passed."""
    __tracebackhide__ = True
    if not verdict.passed:
        raise InterleavingError(verdict) from _without_own_frames(verdict.error)
    if verdict.lost is not None:
        raise ReplayLostError(verdict)


def explore_threads(
    setup: Callable[[], Any] | None,
    threads: Sequence[Callable[..., object]],
    check: Callable[..., object] | None = None,
    *,
    strategy: str = "dpor",
    model: str = "both",
    seed: int = 0,
    max_executions: int | None = None,
    max_seconds: float | None = None,
    timeouts: str = "idle",
    modules: Iterable[str] = (),
    replay: str | Schedule | None = None,
    backend: str = "auto",
    raise_on_failure: bool = True,
) -> Verdict:
    """Run the threads in every way that matters, and judge each execution.

    ``setup()`` makes the state, afresh for every execution. Each of ``threads`` is called with it in a thread of its
    own (without it, if it has no parameter). ``check(state)`` looks at the final state: it raises or returns something
    false, but not None, if the state is wrong. An exception in a thread, a deadlock and an endless loop are failures
    by themselves.

    ``strategy`` is the search order (`plait.explore.registry`), ``model`` where threads may switch: ``"both"`` searches
    all switches, then says of a failure whether a build with the GIL can show it. Without ``max_executions`` and
    ``max_seconds`` at most 10,000 executions are made. Time is virtual; with ``timeouts="any"`` waits with a time-out
    end at any moment, not only when nothing else can happen. ``modules`` names installed packages to control as well.
    ``replay`` runs one schedule, the ``token`` of an earlier verdict, instead of exploring. ``backend="threads"`` runs
    everything on OS threads, which is slower.

    A failure raises `InterleavingError` unless ``raise_on_failure`` is false.
    """
    __tracebackhide__ = True
    _validate(threads, strategy, model, timeouts, backend)
    request = _Request(strategy, model, seed, _budget(max_executions, max_seconds), max_seconds, timeouts == "any")
    with controlled(setup, threads, check, modules=modules, seed=seed) as (trial, adopter):
        ENGINE.backend = backend
        if replay is not None:
            verdict = _replayed(trial, replay if isinstance(replay, Schedule) else Schedule.from_token(replay), request)
        else:
            verdict = _explored(trial, request)
        verdict.left = list(dict.fromkeys(adopter.left))
        verdict.names.update((number, lambda_text(body)) for number, body in enumerate(threads, 1))
    if raise_on_failure:
        raise_for_failure(verdict)
    return verdict


class _Request:
    """How to explore."""

    def __init__(
        self, strategy: str, model: str, seed: int, executions: int | None, seconds: float | None, any_timeouts: bool
    ) -> None:
        self.strategy = strategy
        self.model = model
        self.seed = seed
        self.executions = executions
        self.seconds = seconds
        self.any_timeouts = any_timeouts

    def search(self, trial: Trial, strategy: str, *, gil: bool) -> ScheduleSearch:
        """Return one exploration under one model."""
        with model(gil=gil, any_timeouts=self.any_timeouts):
            return search(
                trial, make_strategy(strategy, self.seed), max_executions=self.executions, max_seconds=self.seconds
            )


def _budget(executions: int | None, seconds: float | None) -> int | None:
    return _DEFAULT_EXECUTIONS if executions is None and seconds is None else executions


def _validate(threads: Sequence[Callable[..., object]], strategy: str, model: str, timeouts: str, backend: str) -> None:
    if not threads or not all(map(callable, threads)):
        raise UsageError("threads must be a sequence of at least one function")
    for name, value, known in (
        ("strategy", strategy, tuple(STRATEGIES)), ("model", model, MODELS), ("timeouts", timeouts, TIMEOUTS),
        ("backend", backend, BACKENDS),
    ):  # fmt: skip
        if value not in known:
            raise UsageError(f"{name} {value!r} is not known; there are {', '.join(known)}")
    if ENGINE.current is not None:
        raise UsageError("explore_threads was called from a thread that is being explored; explorations do not nest")


# -- under control ----------------------------------------------------------------------------------------------------


@functools.cache
def _equipment() -> tuple[Mirror, Library]:
    """Return what all explorations of a process share."""
    cache = cache_folder()
    return Mirror(PLACES, cache), Library(PLACES, cache)


@contextmanager
def controlled(
    setup: Callable[[], Any] | None,
    threads: Sequence[Callable[..., object]],
    check: Callable[..., object] | None = None,
    *,
    modules: Iterable[str] = (),
    seed: int = 0,
) -> Iterator[tuple[Trial, Adopter]]:
    """Yield the test under control, ready for executions, until the block ends."""
    mirror, library = _equipment()
    given = [function for function in (setup, *threads, check) if function is not None]
    adopter = Adopter(mirror, PLACES, library=library)
    with ExitStack() as stack:
        stack.callback(setattr, ENGINE, "backend", ENGINE.backend)
        stack.enter_context(switching(_UNDISTURBED))
        stack.enter_context(adopter.released())
        stack.enter_context(mirrored_imports(mirror.modules))
        stack.enter_context(virtual_identity())
        adopter.adopt_standard()
        adopter.adopt([*map(_module_of, given), *_loaded(modules)])
        stack.enter_context(virtual_clocks())
        stack.enter_context(virtual_waits(later_threads_outside()))
        if setup is not None:
            setup = adopter.adopt_function(setup)
        trial = Trial(setup, [adopter.adopt_function(body) for body in threads], check, seed=seed)
        with model(gil=False, any_timeouts=False, modules=_snapshot(adopter, ())):
            adopter.adopt(_packages_of(trial.probe()))
        trial.reseed = any(_uses_random(module) for module in adopter.modules)
        if trial.reseed:
            stack.callback(random.setstate, random.getstate())
        trial.names = adopter.names()
        state = _snapshot(adopter, _only_checked(check, [setup, *threads], adopter.objects))
        stack.enter_context(model(gil=False, any_timeouts=False, modules=state))
        yield trial, adopter


def _snapshot(adopter: Adopter, leave: Iterable[Any]) -> ModuleState:
    """Return what every execution starts from."""
    return ModuleState(adopter.modules, [cell for _name, cell in adopter.cells], adopter.objects, leave)


def _module_of(function: Any) -> str:
    """Return the module of a function, whatever it is wrapped in."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__module__", None) or type(function).__module__
    return str(name)


def _loaded(packages: Iterable[str]) -> list[str]:
    """Return the imported modules of some packages."""
    found: list[str] = []
    for package in packages:
        if package not in sys.modules:
            raise UsageError(f"modules names {package!r}, which is not imported")
        found.extend(name for name in list(sys.modules) if name == package or name.startswith(f"{package}."))
    return found


def _packages_of(state: Any) -> list[str]:
    """Return the modules, installed ones too, of what a state consists of; not the standard library's."""
    parts = [state]
    parts.extend(state if isinstance(state, tuple | list) else state.values() if isinstance(state, dict) else ())
    for part in list(parts):
        parts.extend(vars(part).values() if hasattr(part, "__dict__") and not isinstance(part, type) else ())
    tops = set()
    for part in parts:
        module = sys.modules.get(type(part).__module__)
        path = getattr(module, "__file__", None)
        if module is not None and path is not None and not is_standard(path):
            tops.add(module.__name__.partition(".")[0])
    return _loaded(sorted(tops))


def _uses_random(module: types.ModuleType) -> bool:
    return any(value is random or getattr(value, "__self__", None) is random._inst for value in vars(module).values())


def _only_checked(check: Any, others: Sequence[Any], held: Sequence[Any]) -> list[Any]:
    """Global objects that the check alone refers to: it may collect something there over all executions."""
    if not isinstance(check, types.FunctionType):
        return []
    used = {name for other in others if isinstance(other, types.FunctionType) for name in _names(other.__code__)}
    space = check.__globals__
    found = [space[name] for name in _names(check.__code__) - used if name in space]
    return [value for value in found if not any(value is other for other in held)]


def _names(code: types.CodeType) -> set[str]:
    inner = (part for part in code.co_consts if isinstance(part, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


# -- verdicts ---------------------------------------------------------------------------------------------------------


def _explored(trial: Trial, request: _Request) -> Verdict:
    found = request.search(trial, request.strategy, gil=request.model == "gil")
    done = found.exploration
    verdict = Verdict(
        Finished(), done.executions, done.elapsed, done.exhausted, done.statement(), request.strategy, request.model,
        shared=found.shared,
    )  # fmt: skip
    if found.divergence is not None:
        verdict.outcome = found.divergence
        return verdict
    if found.failure is None:
        return verdict
    failure, verdict.reachable = _reach(trial, request, found.failure)
    return with_failure(trial, verdict, simplify(trial, failure))


def _reach(trial: Trial, request: _Request, failure: Failure) -> tuple[Failure, dict[str, bool | None]]:
    """Return which builds can show a failure; one that a GIL build can show takes the place of the given one."""
    if request.model == "gil":
        return failure, {"gil": True, "free-threaded": True}
    if request.model == "free-threaded":
        return failure, {"free-threaded": True}
    strategies = [make_strategy(name, request.seed) for name in dict.fromkeys(("dpor", request.strategy))]
    with model(gil=False, any_timeouts=request.any_timeouts):
        today, shown = only_without_gil(
            trial, failure, strategies, max_executions=request.executions, max_seconds=request.seconds
        )
    return shown, {"gil": today, "free-threaded": True}


def with_failure(trial: Trial, verdict: Verdict, failure: Failure) -> Verdict:
    """Return the verdict with everything that a report shows of the failure."""
    recorded = trial.record(failure.schedule)
    if recorded.lost is not None or recorded.outcome.signature != failure.outcome.signature:
        verdict.outcome = Divergence(
            len(recorded.moments), failure.outcome.summary(), recorded.outcome.summary(),
            recorded.lost or "replaying the failing schedule did not fail in the same way",
        )  # fmt: skip
        return verdict
    fill(verdict, recorded)
    again, lost = trial.replay(failure.schedule, backend="threads")
    verdict.confirmed_on_threads = lost is None and again.outcome.signature == failure.outcome.signature
    return verdict


def _replayed(trial: Trial, schedule: Schedule, request: _Request) -> Verdict:
    recorded = trial.record(schedule)
    verdict = Verdict(recorded.outcome, 1, 0.0, False, "One schedule, replayed.", "replay", request.model)
    fill(verdict, recorded)
    if not verdict.passed:
        verdict.reachable = {"gil": True, "free-threaded": True} if schedule.gil else {"free-threaded": True}
    return verdict


def fill(verdict: Verdict, recorded: RecordedTrial) -> None:
    """Put what a recorded execution shows into the verdict."""
    verdict.outcome = recorded.outcome
    verdict.schedule, verdict.preemptions = recorded.schedule, recorded.preemptions
    own = [moment for moment in recorded.moments if not is_machinery(moment.site)]
    verdict.rows = [as_step(moment) for moment in own or recorded.moments]
    if not isinstance(recorded.outcome, Deadlock | Hang):
        verdict.race = _race(recorded)
    verdict.names = {number: name for number, name in enumerate(recorded.names) if number}
    verdict.error, verdict.lost = recorded.error, recorded.lost


def _race(recorded: RecordedTrial) -> list[AccessStep]:
    """Return the last two accesses to data that raced in the code itself; none where locks kept all of them apart."""
    inside = (
        pair for pair in recorded.pairs
        if pair.is_on_data and not any(is_machinery(each.site) or not each.site.line for each in pair)
    )  # fmt: skip
    pair = next(inside, None)
    return [] if pair is None else [as_step(pair.first), as_step(pair.second)]


def _without_own_frames(error: BaseException | None) -> BaseException | None:
    """Return the error as if it had been raised by the code under test alone."""
    if error is None:
        return None
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith("plait."):
        trace = trace.tb_next
    return error.with_traceback(trace)
