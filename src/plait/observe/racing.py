"""Which accesses race in a recorded execution, and which locks guard what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from plait.observe.happens import HappensBefore, steps_of
from plait.observe.recording import Moment
from plait.run.engine import Engine
from plait.run.operations import ACQUIRE, DEPENDS, RELEASE, SAME_KEY, TRY, TRY_FAILED

_SYNC = frozenset({ACQUIRE, RELEASE, TRY, TRY_FAILED})


@dataclass(frozen=True, slots=True)
class RacingPair:
    """Two accesses of different threads to one location that no lock orders, in the order of this execution."""

    first: Moment
    second: Moment

    @property
    def places(self) -> frozenset[tuple[str, str, str]]:
        """Equal for the same two places, whatever the threads and the order."""
        return frozenset((each.site.module, each.site.function, each.site.text) for each in (self.first, self.second))


def racing_pairs(engine: Engine, moments: Sequence[Moment]) -> list[RacingPair]:
    """The races of the execution just recorded, data accesses first, the latest first among equals."""
    order = HappensBefore()
    by_step: dict[int, list[Moment]] = {}
    for moment in moments:
        by_step.setdefault(moment.step, []).append(moment)
    found: list[RacingPair] = []
    for number, step in enumerate(steps_of(engine.trace, engine.heap.roots)):
        for race in order.push(step):
            found.extend(_conflicts(by_step.get(race, ()), by_step.get(number, ())))
    found.sort(key=lambda pair: (pair.second.mode in _SYNC, -pair.second.step))
    return found


def _conflicts(earlier: Iterable[Moment], later: Iterable[Moment]) -> list[RacingPair]:
    return [RacingPair(first, second) for first in earlier for second in later if conflict(first, second)]


def conflict(first: Moment, second: Moment) -> bool:
    """Whether it matters which of two accesses comes first."""
    relation = DEPENDS[first.mode][second.mode]
    return first.root == second.root and bool(relation) and (relation != SAME_KEY or first.loc == second.loc)


@dataclass(slots=True)
class GuardTable:
    """For every field: the places that access it and the locks held at each of them in all executions seen."""

    places: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)

    def add(self, moments: Iterable[Moment]) -> None:
        """Learn from a recorded execution."""
        for moment in moments:
            if moment.mode in _SYNC or moment.site.file.startswith("<"):
                continue
            name = moment.location.partition("[")[0]
            at = f"{moment.site.file}:{moment.site.line}"
            known = self.places.setdefault(name, {})
            locks = frozenset(moment.locks)
            known[at] = known[at] & locks if at in known else locks

    def guard(self, location: str) -> tuple[str, list[str], int] | None:
        """The lock that guards most places of a field, the places that lack it, and how many have it."""
        places = self.places.get(location.partition("[")[0], {})
        counts: dict[str, int] = {}
        for locks in places.values():
            for lock in locks:
                counts[lock] = counts.get(lock, 0) + 1
        if not counts:
            return None
        lock = max(counts, key=lambda name: (counts[name], name))
        return lock, sorted(at for at, locks in places.items() if lock not in locks), counts[lock]
