"""The locks that a thread holds, under names that survive a change of the code.

A lock is named by its shortest access path from the variables of the test (``x._pool[0]._lock``), else from the classes
and modules of the objects on such paths (``Logger._registry_lock``), else by its kind and the order in which such locks
were first taken (ConDiff, section IV-B: change-resilient object abstractions).
"""

from __future__ import annotations

import collections
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from plait.model.foreign import attributes_of, is_a
from plait.run.engine import Entry
from plait.run.heap import OPAQUE
from plait.run.operations import ACQUIRE, HAND_OVER, RELEASE, TAKE, TRY, WRITE
from plait.run.primitives.condition import Condition
from plait.run.primitives.semaphore import Semaphore

LIMIT = 2000  # objects searched for names

_PLAIN = (int, str, float, bytes, complex, type(None), types.FunctionType, types.BuiltinFunctionType, types.CodeType)


class LockNames:
    """Names of synchronisation objects by their ``id``; valid while the execution's objects are alive.

    Paths are searched when the name of a lock is first needed, because a lock may only be reachable while it is used.
    """

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self._names: dict[int, str] = {}
        self._others: dict[str, int] = {}
        self._numbered: set[int] = set()  # locks that are named by their kind and a number

    def path_of(self, lock: Any) -> str | None:
        """Return the name of a lock that is the same in other executions; None if no path leads to it."""
        found = self._names.get(id(lock))
        if found is None and id(lock) not in self._numbered:
            for path, value in paths(self._variables):
                self._names.setdefault(id(value), path)
                if value is lock:
                    break
            found = self._names.get(id(lock))
        return found if id(lock) not in self._numbered else None

    def of(self, lock: Any) -> str:
        """Return the lock's name."""
        found = self._names.get(id(lock)) or self.path_of(lock)
        if found is None:
            self._numbered.add(id(lock))
            kind = type(lock).__name__
            number = self._others[kind] = self._others.get(kind, 0) + 1
            found = self._names[id(lock)] = f"{kind} {number}"
        return found


def paths(variables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the synchronisation objects that can be reached from variables, with their paths, the shortest first."""
    seen: set[int] = set()
    level = sorted(variables.items())
    spaces: dict[str, Any] = {}
    left = LIMIT
    while level:
        following: list[tuple[str, Any]] = []
        for path, value in level:
            if is_a(value, *_PLAIN) or id(value) in seen:
                continue
            seen.add(id(value))
            left -= 1
            if left < 0:
                return
            kind = type(value)
            if kind in OPAQUE:
                yield path, value
                if isinstance(value, Condition):
                    following.append((f"{path}.lock", value._lock))
                continue
            if is_a(value, types.ModuleType):
                continue
            if is_a(value, type):
                following.extend((f"{path}.{name}", held) for name, held in vars(value).items() if _may_hold(held))
                continue
            following.extend(_parts(path, value))
            if kind.__module__ not in ("builtins", "collections"):
                spaces.setdefault(kind.__qualname__, kind)
        following.sort(key=lambda item: item[0])
        if not following and spaces:  # nothing more is below the variables: continue with their classes and modules
            following = sorted({name: item for kind in spaces.values() for name, item in _spaces(kind)}.items())
            spaces = {}
        level = following


def _may_hold(value: Any) -> bool:
    kind = type(value)
    return kind in OPAQUE or issubclass(kind, dict | list)


def _spaces(kind: type) -> Iterator[tuple[str, Any]]:
    for cls in kind.__mro__:
        if cls.__module__ in ("builtins", "collections", "abc", "typing"):
            continue
        yield cls.__qualname__, cls
        module = sys.modules.get(cls.__module__)
        for name, held in vars(module).items() if module is not None else ():
            if _may_hold(held) and not name.startswith("__"):
                yield f"{cls.__module__}.{name}", held


def _parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    kind = type(value)  # not `isinstance`: some objects lie about their class
    if issubclass(kind, dict):
        for key in list(dict.__iter__(value)):
            shown = repr(key) if isinstance(key, str | int | bytes | type(None)) else type(key).__name__
            yield f"{path}[{shown}]", dict.get(value, key)
    elif issubclass(kind, list | tuple | collections.deque):
        for index, held in enumerate(list(value)):
            yield f"{path}[{index}]", held
    yield from fields_of(path, value)


def fields_of(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes and slots of an object, with their paths; no code of its class is run."""
    attributes = attributes_of(value)
    if type(attributes) is dict:
        yield from ((f"{path}.{name}", held) for name, held in list(attributes.items()))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            member = cls.__dict__.get(name)
            if isinstance(member, types.MemberDescriptorType):
                try:
                    yield f"{path}.{name}", member.__get__(value)
                except AttributeError:
                    continue


class Locksets:
    """The locks that each thread holds at each entry of a trace."""

    def __init__(self) -> None:
        self._held: dict[int, list[tuple[int, int]]] = {}
        self._taken: dict[tuple[int, int], int] = {}

    def held(self, thread: int) -> Iterable[tuple[int, int]]:
        """Return the locks that a thread holds now, in order of acquisition: location, and number of the hold."""
        return self._held.get(thread, ())

    def step(self, entry: Entry, owner: Any) -> None:
        """Advance by one entry of the trace; ``owner`` is the object that its location belongs to."""
        thread, loc, mode = entry[:3]
        if mode in (ACQUIRE, TRY, TAKE):
            number = self._taken[thread, loc] = self._taken.get((thread, loc), 0) + 1
            self._held.setdefault(thread, []).append((loc, number))
        elif mode == RELEASE or (mode == WRITE and isinstance(owner, Semaphore)):
            self._drop(self._held.get(thread, []), loc)
        elif mode == HAND_OVER:
            for held in self._held.values():
                self._drop(held, loc)

    @staticmethod
    def _drop(held: list[tuple[int, int]], loc: int) -> None:
        for each in held:
            if each[0] == loc:
                held.remove(each)
                return
