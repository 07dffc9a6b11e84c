"""The heuristics of CAPP: which transitions belong to the current iteration (Figure 4, lines 45-57; section 3.2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.errors import UsageError
from plait.model.choices import HEURISTICS, MATCHES
from plait.observe.impact import Matcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine
    from plait.subject.changes.impact import Impact


class Prioritizer:
    """One of the fourteen heuristics, for the impacted points of a change; ``LOA`` stands for Line On-stack All."""

    def __init__(self, name: str, impact: Impact) -> None:
        if name not in HEURISTICS:
            raise UsageError(f"{name!r} is no heuristic; there are {', '.join(HEURISTICS)}")
        self.name = name
        self._all = name.endswith("A")
        self._matcher = Matcher(impact, MATCHES[name[:-1]])

    def begin(self) -> None:
        """Start a new execution."""
        self._matcher.begin()

    def partition(self, engine: Engine, threads: Sequence[int], current: int) -> Sequence[int]:
        """Return those of the enabled threads that are prioritised, in the given order.

        ``threads`` has the preferred thread first.
        """
        if current not in threads:  # lines 48-49: preemption not possible
            return threads
        impacted = [number for number in threads if self._matcher.matches(engine, engine.threads[number])]  # line 50
        if self._all:
            if len(impacted) == len(threads):  # line 52
                return threads
            others = [number for number in threads if number not in impacted]  # line 53
            return [current] if current in others else others[:1]
        return threads if impacted else [current]  # lines 55-56


@dataclass(frozen=True, slots=True)
class Aim:
    """A heuristic and the points of a change, as plain data that can travel to another process."""

    heuristic: str
    impact: Impact

    def prioritizer(self) -> Prioritizer | None:
        """Return the heuristic for one search; None if there is nothing to match."""
        return prioritizer(self.heuristic, self.impact)


def prioritizer(name: str | None, impact: Impact) -> Prioritizer | None:
    """Return the heuristic; None for BASIC: none is wanted, or there is nothing to match."""
    return None if name in (None, "none") or not impact.points else Prioritizer(name, impact)
