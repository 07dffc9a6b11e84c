"""Active testing of two lines that a person names: `force` makes them race in the given order.

For whole tests, `plait.explore.active.testing` predicts what could happen and makes it happen;
`plait.explore.active.plan` is the strategy of one such execution. Their public names are available here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from plait.errors import UsageError
from plait.explore.active.plan import ActiveAim, Orchestrated
from plait.explore.active.testing import ActiveTest, Exposure, ProfiledTest, aims, profile
from plait.explore.runner import execute
from plait.explore.strategy import Strategy
from plait.model.schedule import Schedule
from plait.observe.iroots import Hint, IRoot, Sighting, sight
from plait.observe.places import place
from plait.observe.recording import schedule_of
from plait.run.engine import ENGINE

ATTEMPTS = 12


@dataclass(slots=True)
class Forced:
    """The result of `force`; ``schedule`` replays the execution with the first line right before the second one.

    ``schedule`` is None if no attempt succeeded. ``answer`` is what ``finish`` returned for that execution.
    """

    schedule: Schedule | None
    attempts: int
    instances: tuple[IRoot, ...]
    status: str = ""
    answer: Any = None

    @property
    def happened(self) -> bool:
        """True if the two lines raced in this order."""
        return self.schedule is not None


def force(
    prepare: Callable[[], Sequence[Callable[[], object]]], first: str, second: str, *,
    finish: Callable[[], Any] | None = None, attempts: int = ATTEMPTS, seed: int = 0,
) -> Forced:  # fmt: skip
    """Make an access on line ``first`` happen right before a conflicting one on line ``second``, in another thread.

    Lines are written ``cache.py:14``; a longer path is possible. ``prepare`` is what `Engine.execute` takes: it builds
    the objects and returns the threads' bodies. Raise `UsageError` if no thread reaches one of the lines, or if the two
    lines never touch the same location in a conflicting way.
    """
    lines = (_line(first), _line(second))
    runs = _Runs(prepare, finish)
    found = profile(runs, threads=runs.threads(), seed=seed)
    chosen: dict[IRoot, list[tuple[Hint, Sequence[int]]]] = {}
    for iroot, hints in found.hints.items():
        for hint, order in hints:
            if _on(hint.first.site, lines[0]) and _on(hint.second.site, lines[1]):
                chosen.setdefault(iroot, []).append((hint, order))
    if not chosen:
        raise UsageError(_why_not(runs.sites, lines, (first, second)))
    tried = 0
    for aim in (aim for hints in chosen.values() for aim in aims(hints, attempts)):
        if tried == attempts:
            break
        tried += 1
        strategy = Orchestrated(aim)
        runs(strategy, False)
        if strategy.met:
            return Forced(schedule_of(ENGINE), tried, tuple(sorted(chosen)), ENGINE.status, runs.answer)
    return Forced(None, tried, tuple(sorted(chosen)))


class _Runs:
    """Runs executions and collects the sites that their threads reached."""

    def __init__(self, prepare: Callable[[], Sequence[Callable[[], object]]], finish: Callable[[], Any] | None) -> None:
        self._prepare = prepare
        self._finish = finish
        self.sites: set[int] = set()
        self.answer: Any = None

    def threads(self) -> int:
        """Return the number of thread bodies."""
        count: list[int] = []

        def prepared() -> Sequence[Callable[[], object]]:
            bodies = self._prepare()
            count.append(len(bodies))
            return bodies

        execute(prepared)
        return count[0]

    def __call__(self, strategy: Strategy, predict: bool) -> Sighting:
        found: list[Sighting] = []

        def finished() -> None:
            found.append(sight(ENGINE, predict=predict))
            if self._finish is not None:
                self.answer = self._finish()

        execute(self._prepare, strategy.next_prefix() or (), strategy, free=strategy.free, finish=finished)
        strategy.executed(ENGINE)
        self.sites.update(entry[3] for entry in ENGINE.trace if entry[0] > 0)
        return found[0]


Line = tuple[str, int]


def _line(text: str) -> Line:
    path, _, number = text.rpartition(":")
    if not path or not number.isdecimal():
        raise UsageError(f"{text!r} is no line: write file.py:14")
    return path, int(number)


def _in(site: int, path: str) -> bool:
    file = place(site).file.replace("\\", "/")
    return file == path or file.endswith(f"/{path.removeprefix('./')}")


def _on(site: int, line: Line) -> bool:
    return place(site).line == line[1] and _in(site, line[0])


def _why_not(sites: set[int], lines: tuple[Line, Line], texts: tuple[str, str]) -> str:
    for line, text in zip(lines, texts, strict=True):
        if not any(_on(site, line) for site in sites):
            near = sorted({place(site).line for site in sites if _in(site, line[0])})
            where = f"lines {', '.join(map(str, near))} of it" if near else "other files"
            return f"no thread touches anything shared on {text}; they do on {where}"
    return (
        f"{texts[0]} cannot come right before {texts[1]}: two threads never touch the same thing there with one of "
        "them changing it, or a lock, a start or a join decides their order"
    )


__all__ = ["ActiveAim", "ActiveTest", "Exposure", "Forced", "Orchestrated", "ProfiledTest", "force", "profile"]
