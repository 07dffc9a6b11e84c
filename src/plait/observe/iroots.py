"""Interleaving instances: an access of one thread right before a conflicting access of another.

An instance ``A_X -> B_X`` (ATG, section 3, Definition 2) is a text that means the same in every execution, test and
process: the location by class and field, the accesses by the method that was called and their places in the source. It
*happened* in an execution if the two accesses conflict, A came before B on the same location, and nothing that
conflicts with both came between them: B reads or overwrites what A left or saw. Acquisitions of a lock count as writes
of it, releases do not count.

`sight` also returns the instances that the same accesses could form in another order (Definition 3: *predictively*
discovered), with the positions of the two accesses in their threads. It leaves out what is impossible: accesses kept
apart by a common lock between which one of the two threads would have to write again, an order that a start, a join or
a notification forbids, and anything before an object's own constructor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from plait.observe.places import owners, place
from plait.run.engine import Entry
from plait.run.heap import WHOLE
from plait.run.operations import (
    ACQUIRE,
    COMMUTE,
    DEPENDS,
    HAND_OVER,
    KEY_INSERT,
    KEY_READ,
    KEY_WRITE,
    READ,
    RELEASE,
    SAME_KEY,
    TAKE,
    TRY,
    TRY_FAILED,
    WRITE,
)

if TYPE_CHECKING:
    from plait.run.engine import Engine
    from plait.run.testbed import Testbed


IRoot = str
CHANGES = frozenset({WRITE, KEY_WRITE, KEY_INSERT, ACQUIRE, TRY, TAKE, HAND_OVER})
_COUNTED = CHANGES | {READ, KEY_READ, TRY_FAILED}
_WHOLE_CHANGES = frozenset({WRITE, ACQUIRE, TRY, TAKE, HAND_OVER})  # conflict with whatever touches the same root
_HELD_BY = frozenset(
    {"lock", "value", "flag", "waiters", "alive", "next"}
)  # inner parts: named after the object that holds them
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
_VISITS = 3  # accesses of one place by one thread from which predictions are made
_HINTS = 4  # pairs of accesses kept for each prediction


class Visit(NamedTuple):
    """A thread at a place for the n-th time."""

    thread: int
    site: int
    nth: int


class Hint(NamedTuple):
    """Two accesses that could form an instance.

    The gates are the points at which the threads can wait for each other: before the accesses, or before the critical
    sections that separate them.
    """

    first: Visit
    second: Visit
    first_gate: Visit
    second_gate: Visit

    @property
    def locked(self) -> bool:
        """True if a lock keeps the two apart."""
        return self.first_gate != self.first


@dataclass(slots=True)
class Sighting:
    """The result of `sight`: instances that happened, instances that could happen, and the threads' order.

    ``close`` are those that happened while the second thread was already at its access: it continues with what it has
    read before.
    """

    happened: set[IRoot] = field(default_factory=set)
    close: set[IRoot] = field(default_factory=set)
    possible: dict[IRoot, list[Hint]] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)


class _Touch(NamedTuple):
    """One access of the trace."""

    at: int
    thread: int
    loc: int
    mode: int
    site: int
    call: str  # the method that the test called
    nth: int
    previous: int  # the position of the thread's access before this one

    @property
    def visit(self) -> Visit:
        return Visit(self.thread, self.site, self.nth)


def sight(engine: Engine, bed: Testbed | None = None, *, predict: bool = True) -> Sighting:
    """Return the instances of the execution that has just ended; call this from the engine's ``finish``."""
    found = Sighting(order=[entry[0] for entry in engine.trace if entry[4] is not None])
    namer = _Namer(engine)
    touched = _touched(engine, bed)
    order = SyncOrder(engine.trace) if predict else None
    for touches in _shared(engine, touched):
        _happened(touches, namer, found)
        if order is not None:
            _Predictions(touches, touched, namer, order).add_to(found.possible)
    return found


def _touched(engine: Engine, bed: Testbed | None) -> dict[int, _Touch]:
    """Return the accesses that count, by their position in the trace."""
    visits: dict[tuple[int, int], int] = {}
    previous: dict[int, int] = {}
    found: dict[int, _Touch] = {}
    calls = _calls(bed)
    for number, (thread, loc, mode, site, _enabled, _after) in enumerate(engine.trace):
        if loc and thread > 0 and mode in _COUNTED:
            count = visits[thread, site] = visits.get((thread, site), 0) + 1
            begun = calls.get(thread)
            while begun is not None and len(begun) > 1 and begun[-2][0] <= number:
                begun.pop()
            call = begun[-1][1] if begun else ""
            found[number] = _Touch(number, thread, loc, mode, site, call, count, previous.get(thread, -1))
        previous[thread] = number
    return found


def _calls(bed: Testbed | None) -> dict[int, list[tuple[int, str]]]:
    """Return the positions in the trace at which each thread began its calls, the last one first."""
    found: dict[int, list[tuple[int, str]]] = {}
    if bed is not None:
        for done in (*bed.done, *bed.running.values()):
            method = bed.test.suffixes[done.thread - 1][done.index].method
            found.setdefault(done.number, []).append((done.start, method))
        for begun in found.values():
            begun.sort(reverse=True)
    return found


def _shared(engine: Engine, touched: dict[int, _Touch]) -> list[list[_Touch]]:
    """Return the accesses of each location (with all its keys) that two threads touch and at least one changes."""
    roots = engine.heap.roots
    by_root: dict[int, list[_Touch]] = {}
    for touch in touched.values():
        known = by_root.get(roots[touch.loc])
        if known is None:
            by_root[roots[touch.loc]] = [touch]
        else:
            known.append(touch)
    return [
        touches for touches in by_root.values()
        if len(touches) > 1 and any(touch.thread != touches[0].thread for touch in touches)
        and any(touch.mode in CHANGES for touch in touches)
    ]  # fmt: skip


def visits_conflict(first_mode: int, first_loc: int, second_mode: int, second_loc: int) -> bool:
    """Return whether two accesses of the same root location conflict: one changes what the other reads."""
    relation = DEPENDS[first_mode][second_mode]
    if relation == COMMUTE or (relation == SAME_KEY and first_loc != second_loc):
        return False
    return first_mode in CHANGES or second_mode in CHANGES


def _conflict(first: _Touch, second: _Touch) -> bool:
    return visits_conflict(first.mode, first.loc, second.mode, second.loc)


def _happened(touches: Sequence[_Touch], namer: _Namer, found: Sighting) -> None:
    live: dict[tuple[int, int, str, int, int], _Touch] = {}  # the latest of each kind since the last whole change
    for touch in touches:
        for earlier in live.values():
            meets = earlier.thread != touch.thread and _conflict(earlier, touch)
            if meets and not _between(earlier, touch, live.values()):
                name = namer.iroot(earlier, touch)
                found.happened.add(name)
                if touch.previous < earlier.at:
                    found.close.add(name)
        if touch.mode in _WHOLE_CHANGES:
            live.clear()
        key = (touch.thread, touch.site, touch.call, touch.loc, touch.mode)
        live.pop(key, None)
        live[key] = touch


def _between(first: _Touch, second: _Touch, touches: Iterable[_Touch]) -> bool:
    """Return whether something that conflicts with both came between the two."""
    return any(
        other.mode in CHANGES and first.at < other.at < second.at
        and _conflict(first, other) and _conflict(other, second)
        for other in touches
    )  # fmt: skip


class _Predictions:
    """The instances that the accesses to one location could form in other orders."""

    def __init__(self, touches: Sequence[_Touch], touched: dict[int, _Touch], namer: _Namer, order: SyncOrder) -> None:
        self._touched = touched
        self._namer = namer
        self._order = order
        self._own: dict[int, list[_Touch]] = {}
        self._groups: dict[tuple[int, int, str, int, int], list[_Touch]] = {}
        for touch in touches:
            self._own.setdefault(touch.thread, []).append(touch)
            key = (touch.thread, touch.site, touch.call, touch.loc, touch.mode)
            group = self._groups.setdefault(key, [])
            if len(group) < _VISITS:
                group.append(touch)

    def add_to(self, found: dict[IRoot, list[Hint]]) -> None:
        groups = self._groups.values()
        last = [
            group for group in groups if not self._namer.constructs(group[0])
        ]  # no other thread had the object before
        for firsts in groups:
            for seconds in last:
                if firsts[0].thread != seconds[0].thread and _conflict(firsts[0], seconds[0]):
                    self._predict(firsts, seconds, found)

    def _predict(self, firsts: Sequence[_Touch], seconds: Sequence[_Touch], found: dict[IRoot, list[Hint]]) -> None:
        name = self._namer.iroot(firsts[0], seconds[0])
        hints = found.get(name, [])
        for first in firsts:
            for second in seconds:
                if len(hints) >= _HINTS:
                    return
                hint = self._hint(first, second)
                if hint is not None:
                    hints.append(hint)
                    found[name] = hints

    def _hint(self, first: _Touch, second: _Touch) -> Hint | None:
        order = self._order
        if order.forces(second.at, first.at):
            return None
        common = order.common_locks(first.at, second.at)
        if not common:
            return Hint(first.visit, second.visit, first.visit, second.visit)
        if self._kept_apart(first, second, common):
            return None
        first_gate = self._touched[min(order.section(first.at, lock)[0] for lock in common)]
        second_gate = self._touched[min(order.section(second.at, lock)[0] for lock in common)]
        return Hint(first.visit, second.visit, first_gate.visit, second_gate.visit)

    def _kept_apart(self, first: _Touch, second: _Touch, common: Iterable[int]) -> bool:
        """Return whether, with the critical sections one after the other, one writes between the two accesses."""
        for lock in common:
            end = self._order.section(first.at, lock)[1]
            start = self._order.section(second.at, lock)[0]
            later = (each for each in self._own[first.thread] if first.at < each.at < end)
            earlier = (each for each in self._own[second.thread] if start < each.at < second.at)
            for other in (*later, *earlier):
                if other.mode in CHANGES and _conflict(first, other) and _conflict(other, second):
                    return True
        return False


_PLACES: dict[tuple[int, str], str] = {}
_NAMES: dict[tuple[str, str, str], IRoot] = {}


class _Namer:
    """Names for the accesses of one execution."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._owners: dict[int, str] | None = None
        self._where: dict[int, str] = {}

    def iroot(self, first: _Touch, second: _Touch) -> IRoot:
        root = self._engine.heap.roots[first.loc]
        where = self._where.get(root)
        if where is None:
            where = self._where[root] = self._location(root)
        key = (where, _place(first), _place(second))
        name = _NAMES.get(key)
        if name is None:
            name = _NAMES[key] = f"{where}: {key[1]} -> {key[2]}"
        return name

    def _location(self, root: int) -> str:
        obj, name = self._engine.heap.locs[root]
        if isinstance(obj, str):
            return f"{obj}.{name}"
        if name is WHOLE or (name in _HELD_BY and name not in getattr(obj, "__dict__", ())):
            if self._owners is None:
                self._owners = owners(self._engine)
            held = self._owners.get(id(obj))
            if held is not None:
                return held.partition("[")[0]
        kind = obj if isinstance(obj, type) else type(obj)
        return kind.__qualname__ if name is WHOLE else f"{kind.__qualname__}.{name}"

    def constructs(self, touch: _Touch) -> bool:
        """Return whether the access belongs to the constructor of the very object that it touches."""
        owner, _, function = place(touch.site).function.rpartition(".")
        if function not in _CONSTRUCTORS:
            return False
        obj: Any = self._engine.heap.locs[touch.loc][0]
        return any(cls.__qualname__ == owner for cls in type(obj).__mro__)


def _place(touch: _Touch) -> str:
    known = _PLACES.get((touch.site, touch.call))
    if known is not None:
        return known
    module, function, kind, text, ordinal = place(touch.site).name
    if module.startswith("test "):
        name = f"{touch.call} ({kind})"  # an access by the call itself, whatever its arguments
    else:
        count = f" #{ordinal + 1}" if ordinal else ""
        inside = f"{touch.call}: " if touch.call and touch.call != function.rpartition(".")[2] else ""
        name = f"{inside}{module}.{function} `{text}`{count} ({kind})"
    _PLACES[touch.site, touch.call] = name
    return name


# -- iroots order ------------------------------------------------------------------------------------------------------
# The synchronisation of an execution: critical sections, and orders that cannot be changed.


_END = 1 << 60


class SyncOrder:
    """Locks held and forced orders, by positions in a trace."""

    def __init__(self, trace: Sequence[Entry]) -> None:
        self._held: list[dict[int, int]] = []  # per entry: each lock held by its thread, and where it was taken
        self._released: dict[tuple[int, int], int] = {}
        self._follow_locks(trace)
        self._clocks: list[dict[int, int]] | None = None
        self._numbers: list[int] = []
        if any(entry[5] for entry in trace):
            self._follow_threads(trace)
        self._threads = [entry[0] for entry in trace]

    def _follow_locks(self, trace: Sequence[Entry]) -> None:
        held: dict[int, dict[int, int]] = {}
        for index, (thread, loc, mode, _site, _enabled, _after) in enumerate(trace):
            locks = held.setdefault(thread, {})
            self._held.append(locks)
            if mode in (ACQUIRE, TRY):
                held[thread] = {**locks, loc: index}
            elif mode == RELEASE:
                self._drop(held, thread, loc, index)
            elif mode == HAND_OVER:
                for other in list(held):
                    self._drop(held, other, loc, index)

    def _drop(self, held: dict[int, dict[int, int]], thread: int, lock: int, index: int) -> None:
        taken = held[thread].get(lock)
        if taken is not None:
            self._released[taken, lock] = index
            held[thread] = {other: start for other, start in held[thread].items() if other != lock}

    def common_locks(self, first: int, second: int) -> tuple[int, ...]:
        """Return the locks held at both entries."""
        held = self._held[second]
        return tuple(lock for lock in self._held[first] if lock in held)

    def section(self, index: int, lock: int) -> tuple[int, int]:
        """Return where the critical section around an entry begins and ends."""
        start = self._held[index][lock]
        return start, self._released.get((start, lock), _END)

    def _follow_threads(self, trace: Sequence[Entry]) -> None:
        """Compute vector clocks over starts, joins and notifications only."""
        steps: list[dict[int, int]] = []
        latest: dict[int, dict[int, int]] = {}
        self._clocks = []
        for thread, _loc, _mode, _site, enabled, after in trace:
            clock = dict(latest.get(thread, {}))
            for step in after or ():
                for other, count in steps[step].items():
                    clock[other] = max(clock.get(other, 0), count)
            clock[thread] = clock.get(thread, 0) + 1
            latest[thread] = clock
            self._clocks.append(clock)
            self._numbers.append(clock[thread])
            if enabled is None:
                steps[-1] = clock
            else:
                steps.append(clock)

    def forces(self, earlier: int, later: int) -> bool:
        """Return whether the first entry comes before the second in every execution that makes these steps."""
        if self._clocks is None:
            return False
        return earlier < later and self._clocks[later].get(self._threads[earlier], 0) >= self._numbers[earlier]
