"""Executes one hand-written test until an execution fails, no schedule is left or the budget is used up."""

from __future__ import annotations

import ast
import functools
import linecache
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.explore.dpor import Dpor
from plait.explore.runner import Exploration, explore, model
from plait.model.outcome import Divergence, Finished
from plait.observe.places import place
from plait.observe.spots import line_of, short
from plait.run.engine import ENGINE
from plait.run.operations import LOCAL, TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.explore import replay
    from plait.explore.strategy import Strategy
    from plait.judge.handwritten.trial import Failure, Trial
    from plait.run.engine import Engine, Entry


@dataclass(slots=True)
class ScheduleSearch:
    """The result of a search; ``shared`` is true if two threads touched the same thing in the first execution."""

    exploration: Exploration
    shared: bool
    failure: Failure | None
    divergence: Divergence | None
    timed: bool = False  # in some execution a thread slept, or waited with a time-out


def search(
    trial: Trial, strategy: Strategy, *, max_executions: int | None = None, max_seconds: float | None = None
) -> ScheduleSearch:
    """Explore the schedules of a test until the first failure."""
    failures: list[Failure] = []
    shared: list[bool] = []
    timed = False

    def look(engine: Engine, _status: str) -> bool:
        nonlocal timed
        timed = timed or engine.time.timed
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
    return ScheduleSearch(done, any(shared), failures[0] if failures else None, difference, timed)


def only_without_gil(
    trial: Trial, failure: Failure, strategies: Iterable[Strategy], *, max_executions: int | None = None,
    max_seconds: float | None = None,
) -> tuple[bool | None, Failure]:  # fmt: skip
    """Return whether a build with the GIL can show a failure (None if unknown), and the failure to report.

    The answer False is a claim, so it needs evidence: an exhaustive search without a bound. If the code uses time-outs,
    a second search must let them fire at any moment, because only plait delays them until nothing else can run.
    """
    any_timeouts = ENGINE.any_timeouts
    for strategy in strategies:
        with model(gil=True, any_timeouts=any_timeouts):
            today = search(trial, strategy, max_executions=max_executions, max_seconds=max_seconds)
        if today.failure is not None:
            return True, today.failure
        if not today.exploration.exhausted or getattr(strategy, "bound", None) is not None:
            continue
        if today.timed and not any_timeouts:
            with model(gil=True, any_timeouts=True):
                early = search(trial, Dpor(), max_executions=max_executions, max_seconds=max_seconds)
            if early.failure is not None or not early.exploration.exhausted:
                return None, failure
        return False, failure
    return None, failure


def _shares(engine: Engine) -> bool:
    """Return whether two threads of the last execution touched the same thing."""
    users: dict[int, int] = {}
    for thread, loc, mode, *_ in engine.trace:
        if mode not in (LOCAL, TIME) and users.setdefault(engine.heap.roots[loc], thread) != thread:
            return True
    return bool(engine.pending)


# -- divergence --------------------------------------------------------------------------------------------------------
# One schedule gave two different executions: find the possible cause in the source.


# Names of functions whose results differ from run to run (last part of the name), by the reason.
_SUSPECTS = {
    "randomness": {
        "random", "randint", "randrange", "choice", "choices", "shuffle", "sample", "uniform", "getrandbits", "urandom",
        "token_hex", "token_bytes", "token_urlsafe", "uuid1", "uuid4", "SystemRandom", "default_rng",
    },
    "real time": {"times", "getrusage"},
    "the address of an object": {"id", "hash"},
    "input or output": {
        "open", "read_text", "read_bytes", "exists", "listdir", "scandir", "getenv", "recv", "connect", "urlopen",
        "getpid", "mkstemp", "mkdtemp", "run", "check_output", "input", "readline",
    },
}  # fmt: skip


def explained(found: replay.Departure, trace: Sequence[Entry]) -> Divergence:
    """Return a divergence as an outcome, with a possible cause found in the files that the execution went through."""
    seen = found.found if found.found != found.expected else f"{found.found}, but elsewhere"
    return Divergence(found.step, found.expected, seen, _suspicion(trace) or f"likely cause: {found.cause}")


def _suspicion(trace: Sequence[Entry]) -> str | None:
    """Return the text for a suspicious call: in a function that the execution passed (latest first), or in its file."""
    sites = [site for site in map(place, dict.fromkeys(entry[3] for entry in reversed(trace))) if site.line]
    places = [*((site.file, site.function) for site in sites), *((site.file, "") for site in sites)]
    for path, function in dict.fromkeys(places):
        for line, reason, where in _suspects(path):
            if where.startswith(function):
                return f"likely cause: {reason}, at {short(path)}:{line}: {line_of(path, line)}"
    return None


@functools.lru_cache(maxsize=64)
def _suspects(path: str) -> tuple[tuple[int, str, str], ...]:
    """Return line, reason and enclosing function of each suspicious call in a file."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return ()
    return tuple(_calls(tree, ""))


def _calls(node: ast.AST, function: str) -> Iterator[tuple[int, str, str]]:
    for child in ast.iter_child_nodes(node):
        inside = function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = f"{function}{child.name}.<locals>."
        elif isinstance(child, ast.ClassDef):
            inside = f"{function}{child.name}."
        elif isinstance(child, ast.Call):
            name = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")
            for reason, names in _SUSPECTS.items():
                if name in names:
                    yield child.lineno, reason, function
        yield from _calls(child, inside)
