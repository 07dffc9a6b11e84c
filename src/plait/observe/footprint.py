"""Footprints: what a single call accesses, under names that are the same in all executions after the same prefix.

Two calls whose footprints do not conflict cannot influence each other: neither writes what the other reads, so neither
takes another path because of the other, and all their interleavings are equivalent. To know this for all pairs of
calls, each call is run once, alone.

Operations on synchronisation objects belong to a footprint. Two calls that take and release the same lock, each while
it holds no other, only take turns: that is no conflict. Every other use of a lock is a conflict, because a deadlock
needs a lock that is taken while another one is held.
"""

from __future__ import annotations

import collections
import functools
import re
import types
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from plait.observe.context import Context
from plait.observe.lockset import LockNames, fields_of
from plait.observe.places import place
from plait.observe.trace import Place, ValueRecorder, value_text
from plait.run.engine import ENGINE, FINISHED_RUN, Engine
from plait.run.heap import OPAQUE, WHOLE
from plait.run.hooks.containers import is_container
from plait.run.operations import (
    ACQUIRE,
    DEPENDS,
    KEY_INSERT,
    KEY_READ,
    KEY_WRITE,
    LOCAL,
    READ,
    RELEASE,
    SAME_KEY,
    TAKE,
    TICK,
    TIME,
    TRY,
    WRITE,
)
from plait.run.primitives.lock import BaseLock
from plait.run.vthread import VThread

LIMIT = 3000  # objects that are named
_ACCESSES = (READ, WRITE, KEY_READ, KEY_WRITE, KEY_INSERT)  # the modes that count, and their numbers
_TURN = 5  # a lock is taken while no other one is held, and released
OTHERWISE = 6  # any other operation on a lock
MODES = (*_ACCESSES, _TURN, OTHERWISE)
_CHANGES = frozenset({WRITE, KEY_WRITE, KEY_INSERT, OTHERWISE})
_IDENTIFIER = re.compile(r"\w+(?=[.\[<]|$)")
MODULE_STATE = "module state"

Footprint = frozenset[tuple[str, str, int]]
"""Accesses: the field, the container with a key, or the lock; and one of the `MODES`."""

_ATOMS = frozenset({
    int, float, bool, complex, str, bytes, type(None), types.FunctionType, types.BuiltinFunctionType, types.CodeType,
})  # fmt: skip


class Touch(NamedTuple):
    """One access of a call to something that other calls can reach as well."""

    root: str
    key: str
    mode: int
    place: Place
    value: str
    context: Context


class Touched(NamedTuple):
    """All accesses of a call; ``footprint`` is None if they are not known completely."""

    footprint: Footprint | None
    touches: tuple[Touch, ...] = ()

    def stays_within(self, variables: Collection[str]) -> bool:
        """Return whether the call changes only the objects of these variables, and those that it makes itself."""
        if self.footprint is None:
            return False
        changed = (root for root, _key, mode in self.footprint if mode in _CHANGES)
        return all((name := _IDENTIFIER.match(root)) is not None and name[0] in variables for root in changed)


class AccessRecorder(ValueRecorder):
    """A recorder for one execution of one call: attach it to the engine; call `touched` while the objects are alive."""

    def __init__(self, variables: Callable[[], dict[str, Any]], relative: Callable[[str], str]) -> None:
        super().__init__(variables, relative)
        self._paths: dict[int, str] | None = None
        self._kept: list[Any] = []
        self._truncated = False

    def __call__(self, engine: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Name every object before the first step; an object without a name was made by the call."""
        if self._paths is None:
            self._paths = {}
            for path, value in _reachable(self.variables()):
                if len(self._paths) >= LIMIT:
                    self._truncated = True
                    break
                self._paths.setdefault(id(value), path)
                self._kept.append(value)
        super().__call__(engine, thread, loc, mode, site)

    def touched(self, engine: Engine) -> Touched:
        """Return the accesses of the execution."""
        if self._truncated or not ran_alone(engine):
            return Touched(None)
        locs, roots = engine.heap.locs, engine.heap.roots
        found: list[Touch] = []
        unnamed: list[Touch] = []  # containers
        fresh: set[int] = set()
        unknown = False
        irregular = irregular_locks(engine)
        for entry, context, value in self.accesses(engine):
            _thread, loc, mode, site, _enabled, _after = entry
            if not loc or mode == LOCAL:
                continue
            owner, name = locs[loc]
            at = self.statement(site)
            if type(owner) in OPAQUE or isinstance(owner, VThread):
                root = sync_name(self.lock_names(), owner, name)
                found.append(Touch(root, "", _sync_mode(owner, loc, mode, irregular), at, "", context))
                continue
            if mode not in _ACCESSES:
                return Touched(None)
            base = self._name(owner)
            if base is not None:
                found.append(Touch(*touched_location(base, name, roots[loc] != loc), mode, at, value, context))
            elif is_container(type(owner)):
                unnamed.append(Touch(f"a {type(owner).__qualname__}[]", "", mode, at, value, context))
            elif id(owner) not in fresh:
                if place(site).function.endswith("__init__"):
                    fresh.add(id(owner))
                else:
                    unknown = True
                    root, key = touched_location(f"a {type(owner).__qualname__}", name, False)
                    found.append(Touch(root, key, mode, at, value, context))
        if unknown:  # then containers without a name may belong to objects that other calls can reach
            found += unnamed
        touches = tuple(dict.fromkeys(found))
        return Touched(frozenset((each.root, each.key, each.mode) for each in touches), touches)

    def _name(self, owner: Any) -> str | None:
        if type(owner) is str:  # an object can lie about its class
            return owner
        if issubclass(type(owner), type):
            return f"{owner.__module__}.{owner.__qualname__}"
        known = (self._paths or {}).get(id(owner))
        if known is None and ENGINE.modules is not None:
            name = ENGINE.modules.name_of(owner)
            return None if name is None else f"{MODULE_STATE} {name}"
        return known


def ran_alone(engine: Engine) -> bool:
    """Return whether a call ended on its own: no thread is waiting, and the clock did not advance."""
    if engine.status != FINISHED_RUN or engine.pending or engine.time.overdue:
        return False
    if any(entry[2] in (TIME, TICK) for entry in engine.trace):
        return False
    threads = {entry[0] for entry in engine.trace}
    return len(threads) <= 1 and min(threads, default=1) > 0


def sync_name(names: LockNames, owner: Any, part: Any) -> str:
    """Return a name for a part of a synchronisation object: its path, else its class (then objects share the name)."""
    path = f"a {type(owner).__qualname__}" if isinstance(owner, VThread) else names.path_of(owner)
    return f"{path or f'a {type(owner).__qualname__}'}<{part}>"


def _sync_mode(owner: Any, loc: int, mode: int, irregular: set[int]) -> int:
    """Return the mode in which an operation on a synchronisation object is entered in a footprint."""
    if isinstance(owner, BaseLock):
        return OTHERWISE if loc in irregular else _TURN
    return READ if mode == READ else WRITE


def irregular_locks(engine: Engine, *, nested: bool = False) -> set[int]:
    """Return the locks with which a call does more than take and release each on its own.

    To take a lock while another one is held counts as more, unless the caller examines ``nested`` locks itself.
    """
    found: set[int] = set()
    held: list[int] = []
    locs = engine.heap.locs
    for _thread, loc, mode, _site, _enabled, _after in engine.trace:
        if not isinstance(locs[loc][0], BaseLock):
            if mode == TAKE:
                held.append(loc)  # a semaphore: it is not known which release belongs to which acquisition
            continue
        if mode == RELEASE and loc in held:
            held.remove(loc)
            continue
        if mode != ACQUIRE or (held and not nested):
            found.add(loc)
        if mode in (ACQUIRE, TRY):
            held.append(loc)
    return found.union(held)


def touched_location(base: str, name: Any, is_key: bool) -> tuple[str, str]:
    """Return root and key of an access to the object called ``base``."""
    if name is WHOLE:
        return f"{base}[]", ""
    if is_key:
        return f"{base}[]", value_text(name)
    return f"{base}.{name}", ""


def footprints_conflict(first: Footprint | None, second: Footprint | None) -> bool:
    """Return whether two calls may influence each other."""
    if first is None or second is None:
        return True
    mine = _by_root(first)
    return any(
        _depends(key, mode, other_key, other_mode)
        for root, key, mode in second
        for other_key, other_mode in mine.get(root, ())
    )


@functools.lru_cache(maxsize=8192)
def _by_root(footprint: Footprint) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {}
    for root, key, mode in footprint:
        found.setdefault(root, []).append((key, mode))
    return found


def _depends(key: str, mode: int, other_key: str, other_mode: int) -> bool:
    if mode >= _TURN or other_mode >= _TURN:
        return OTHERWISE in (mode, other_mode)
    relation = DEPENDS[mode][other_mode]
    return bool(relation) and (relation != SAME_KEY or key == other_key or not key or not other_key)


def _reachable(variables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the objects that can be reached from variables, with their paths, nearest first."""
    seen: set[int] = set()
    waiting = collections.deque(sorted(variables.items()))
    while waiting:
        path, value = waiting.popleft()
        kind = type(value)
        if kind in _ATOMS or kind in OPAQUE or isinstance(value, type | types.ModuleType) or id(value) in seen:
            if kind is types.FunctionType and id(value) not in seen:
                seen.add(id(value))
                waiting.extend(_captured(path, value))
            continue
        seen.add(id(value))
        yield path, value
        waiting.extend(_parts(path, value))


def _captured(path: str, function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield f"{path}<{name}>", cell.cell_contents
        except ValueError:
            continue
    yield from ((f"{path}<{number}>", held) for number, held in enumerate(function.__defaults__ or ()))


def _parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    kind = type(value)  # not `isinstance`: some objects lie about their class
    if issubclass(kind, dict):
        for number, key in enumerate(list(dict.__iter__(value))):
            yield f"{path}[{number}]", dict.get(value, key)
            yield f"{path}<key {number}>", key
    elif issubclass(kind, list | tuple | collections.deque):
        yield from ((f"{path}[{number}]", held) for number, held in enumerate(list(value)))
    elif issubclass(kind, set | frozenset):
        # A set has no order in which to number its elements: those of one class share a name, and so a footprint.
        yield from ((f"{path}<{type(held).__qualname__}>", held) for held in list(value))
    elif kind is types.MethodType:
        yield f"{path}.self", value.__self__
        yield f"{path}.function", value.__func__
    elif kind is functools.partial:
        yield from ((f"{path}.func", value.func), (f"{path}.args", value.args), (f"{path}.keywords", value.keywords))
    yield from fields_of(path, value)
