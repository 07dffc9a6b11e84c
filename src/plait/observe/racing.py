"""Find the racing accesses of a recorded execution, and the locks that guard fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from plait.model.finding import Gap
from plait.observe.happens import HappensBefore, steps_of
from plait.observe.recording import Frame, Moment
from plait.run.engine import Engine
from plait.run.operations import (
    ACQUIRE,
    DEPENDS,
    KEY_INSERT,
    KEY_WRITE,
    RELEASE,
    SAME_KEY,
    TRY,
    TRY_FAILED,
    WRITE,
)

_SYNC = frozenset({ACQUIRE, RELEASE, TRY, TRY_FAILED})
_MOST = 300  # the last accesses to one location, which are compared with each other


@dataclass(frozen=True, slots=True)
class RacingPair:
    """Two accesses of different threads to one location that no lock orders, in the order of this execution."""

    first: Moment
    second: Moment

    def __iter__(self) -> Iterator[Moment]:
        """Yield both, the earlier one first."""
        yield self.first
        yield self.second

    @property
    def is_on_data(self) -> bool:
        """True if neither of the two takes or gives back a lock."""
        return self.first.mode not in _SYNC and self.second.mode not in _SYNC

    @property
    def places(self) -> frozenset[tuple[str, str, str]]:
        """Equal for the same two places, whatever the threads and the order."""
        return frozenset((each.site.module, each.site.function, each.site.text) for each in (self.first, self.second))


def racing_pairs(engine: Engine, moments: Sequence[Moment]) -> list[RacingPair]:
    """Return the races of the execution just recorded, data accesses first, the latest first among equals.

    Accesses that found the value which their thread had left there come last: a counter of nested calls goes up and
    down in every call, and no call fails because of it.
    """
    order = HappensBefore()
    by_step: dict[int, list[Moment]] = {}
    for moment in moments:
        by_step.setdefault(moment.step, []).append(moment)
    found: list[RacingPair] = []
    for number, step in enumerate(steps_of(engine.trace, engine.heap.roots)):
        for race in order.push(step):
            found.extend(_conflicts(by_step.get(race, ()), by_step.get(number, ())))
    by_place: dict[int, list[Moment]] = {}
    for moment in moments:
        by_place.setdefault(moment.loc, []).append(moment)
    found.sort(key=lambda pair: (pair.second.mode in _SYNC, _is_restored(pair, by_place), -pair.second.step))
    return found


def _is_restored(pair: RacingPair, by_place: dict[int, list[Moment]]) -> bool:
    """Return whether the second access finds the value that its thread saw last, although another thread wrote."""
    if pair.first.loc != pair.second.loc:  # a container and its part: their values cannot be compared
        return False
    before = [each for each in by_place[pair.second.loc] if each.step < pair.second.step]
    mine = [each for each in before if each.thread == pair.second.thread and each.step < pair.first.step]
    return bool(mine) and mine[-1].value is not None and mine[-1].value == before[-1].value


def _conflicts(earlier: Iterable[Moment], later: Iterable[Moment]) -> list[RacingPair]:
    return [RacingPair(first, second) for first in earlier for second in later if _accesses_conflict(first, second)]


def _accesses_conflict(first: Moment, second: Moment) -> bool:
    """Return whether the order of two accesses matters."""
    relation = DEPENDS[first.mode][second.mode]
    return first.root == second.root and bool(relation) and (relation != SAME_KEY or first.loc == second.loc)


def interrupted_pair(moments: Sequence[Moment]) -> RacingPair | None:
    """Return an access to data and the conflicting one of another thread that came between it and a later access.

    This is for executions in which locks order all data accesses: each access takes the lock for itself, so only the
    lock operations race, and they do not explain the fault. The narrowest such gap counts, the latest among equals.
    """
    by_place: dict[int, list[tuple[int, Moment]]] = {}
    for number, moment in enumerate(moments):
        if moment.mode not in _SYNC and moment.loc and moment.site.line and not moment.site.file.startswith("<"):
            by_place.setdefault(moment.loc, []).append((number, moment))
    best: tuple[int, int] | None = None
    found = None
    for all_of_it in by_place.values():
        accesses = all_of_it[-_MOST:]
        for at, (number, moment) in enumerate(accesses):
            before = next((each for each in reversed(accesses[:at]) if each[1].thread != moment.thread), None)
            if before is None or not _accesses_conflict(before[1], moment):
                continue
            after = next((each for each in accesses[at + 1 :] if each[1].thread == before[1].thread), None)
            if after is None or not _accesses_conflict(moment, after[1]):
                continue
            width = (after[0] - before[0], -number)
            if best is None or width < best:
                best, found = width, RacingPair(before[1], moment)
    return found


@dataclass(slots=True)
class GuardTable:
    """The places that access each field, and the locks held at each of them in all executions seen."""

    places: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)

    def add(self, moments: Iterable[Moment]) -> None:
        """Add the accesses of a recorded execution."""
        for moment in moments:
            if moment.mode in _SYNC or moment.site.file.startswith("<"):
                continue
            name = moment.location.partition("[")[0]
            at = f"{moment.site.file}:{moment.site.line}"
            known = self.places.setdefault(name, {})
            locks = frozenset(moment.locks)
            known[at] = known[at] & locks if at in known else locks

    def guard(self, location: str) -> tuple[str, list[str], int] | None:
        """Return the lock that guards most places of a field, the places that lack it, and how many have it."""
        places = self.places.get(location.partition("[")[0], {})
        counts: dict[str, int] = {}
        for locks in places.values():
            for lock in locks:
                counts[lock] = counts.get(lock, 0) + 1
        if not counts:
            return None
        lock = max(counts, key=lambda name: (counts[name], name))
        return lock, sorted(at for at, locks in places.items() if lock not in locks), counts[lock]


# -- gap ---------------------------------------------------------------------------------------------------------------
# Gaps: the place at which a thread was interrupted in the middle of something that should be atomic, and its function.
#
# Two accesses may race in helpers that many methods share. The function that must become atomic is the one that calls
# them: the innermost call that was active both before and after the other thread ran.


def gap(moments: Sequence[Moment], pairs: Sequence[RacingPair], shown: RacingPair) -> Gap | None:
    """Return the narrowest gap around the race, the earliest among equals; None if there is none.

    A thread has a gap where one of its accesses had to come before an access of another thread, and a later one after
    it: no order of whole functions allows both. Preferred are two accesses to the location of the race, then to a part
    of the same container, then any two that race.
    """
    loc, root = shown.first.loc, shown.first.root
    return (
        _narrowest(moments, _conflicts_within([moment for moment in moments if moment.loc == loc]))
        or _narrowest(moments, _conflicts_within([moment for moment in moments if moment.root == root]))
        or _narrowest(moments, pairs)
    )


def _conflicts_within(moments: Sequence[Moment]) -> list[RacingPair]:
    """Return all pairs of accesses whose order matters; of very many only the last, where the shown race is."""
    moments = moments[-_MOST:]
    return [
        RacingPair(first, second) for number, first in enumerate(moments) for second in moments[number + 1 :]
        if first.thread != second.thread and _accesses_conflict(first, second)
    ]  # fmt: skip


def _narrowest(moments: Sequence[Moment], pairs: Sequence[RacingPair]) -> Gap | None:
    numbers = {id(moment): number for number, moment in enumerate(moments)}
    best: tuple[int, int] | None = None
    found = None
    for start, end in _interrupted(moments, pairs, numbers):
        if best is None or (end - start, start) < best:
            common = _common(moments[start].stack, moments[end].stack)
            if common is not None:
                best = (end - start, start)
                found = Gap(moments[start].shown, common[0].file, common[0].function, common[0].line, common[1].line)
    return found


def _interrupted(
    moments: Sequence[Moment], pairs: Sequence[RacingPair], numbers: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield each access that another thread's had to follow, and its thread's next one that had to follow another's."""
    entered: dict[int, list[int]] = {}
    for pair in pairs:
        entered.setdefault(pair.second.thread, []).append(numbers[id(pair.second)])
    for start, thread in sorted({(numbers[id(pair.first)], pair.first.thread) for pair in pairs}):
        away = next((number for number in range(start, len(moments)) if moments[number].thread != thread), len(moments))
        later = [number for number in entered.get(thread, ()) if number > away]
        if later:
            yield start, min(later)


def _common(one: Sequence[Frame], other: Sequence[Frame]) -> tuple[Frame, Frame] | None:
    """Return the innermost call that is in both stacks, and its current line in each."""
    found = None
    for here, there in zip(one, other, strict=False):
        if (here.file, here.function) != (there.file, there.function):
            break
        found = (here, there)
        if here.line != there.line:
            break
    return found


# -- unguarded ---------------------------------------------------------------------------------------------------------
# A quick test on a raw trace: did two threads access the same location without a common lock?


_WRITES = frozenset({WRITE, KEY_WRITE, KEY_INSERT})


def unguarded(engine: Engine) -> bool:
    """Return whether two threads accessed one location, one of them writing, with no lock that both held.

    Locksets (Eraser) rather than happens-before: in an execution where one thread follows the other, locks order
    everything, but an access without the lock stays one.
    """
    held: dict[int, list[int]] = {}
    seen: dict[int, list[tuple[int, bool, frozenset[int]]]] = {}
    for thread, loc, mode, _site, _enabled, _after in engine.trace:
        if not loc or thread <= 0:
            continue
        root = engine.heap.roots[loc]
        locks = held.setdefault(thread, [])
        if mode in (ACQUIRE, TRY):
            locks.append(root)
        elif mode == RELEASE:
            if root in locks:
                locks.remove(root)
        elif mode <= KEY_INSERT:
            mine = (thread, mode in _WRITES, frozenset(locks))
            others = seen.setdefault(root, [])
            if mine not in others:
                if any(o[0] != thread and (o[1] or mine[1]) and not o[2] & mine[2] for o in others):
                    return True
                others.append(mine)
    return False
