"""Values and object states as plain data that can be compared across executions, processes and versions.

Objects are numbered in the order in which a walk meets them, so cycles and aliases show and addresses do not. Locks
count as held or free. Nothing of the code under test is run: state is read from instance dictionaries and slots.
"""

from __future__ import annotations

import ast
import collections
import datetime as dt
import decimal
import enum
import fractions
import functools
import inspect
import pathlib
import re
import types
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from plait.model.foreign import Canonical, attributes_of, class_name, qualified_name, short_name
from plait.run.heap import OPAQUE
from plait.run.identity import identity
from plait.run.primitives.event import Event
from plait.run.primitives.lock import Baton
from plait.run.primitives.semaphore import Semaphore
from plait.subject.package.facts import module_facts
from plait.subject.package.suspects import changes_after_import
from plait.subject.source import Module

LIMIT = 4000  # parts of one value; what lies behind is not compared
DEEPEST = 120  # objects inside each other, likewise: what recursive functions can follow
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_ATOMS = frozenset({int, bool, type(None)})
_PRINTED = (
    dt.date, dt.time, dt.timedelta, dt.tzinfo, decimal.Decimal, fractions.Fraction,
    pathlib.PurePath, uuid.UUID, re.Pattern, range, slice, complex,
)  # fmt: skip
_NAMED = (types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType)
_SKIPPED = (types.FrameType, types.CodeType, types.TracebackType, types.CoroutineType)
_VIEWS: frozenset[type] = frozenset({type({}.keys()), type({}.values()), type({}.items())})


def canonical(value: Any, named: Mapping[str, Any] | None = None) -> Canonical:
    """The value, deeply; but for what has a name, which stands for whatever is inside."""
    return _Walk(named).of(value)


def canonical_all(values: list[Any]) -> Canonical:
    """Several values walked as one, so that aliases between them show."""
    walk = _Walk()
    return tuple(walk.of(value) for value in values)


def with_state(value: Any) -> Any:
    """Return what stands for a variable in a final state: of a module or class, the names in it that can change.

    Anything else stands for itself. What module-level code changes, and what functions only read, is left out: a table
    of constants would be compared behind every execution.
    """
    if type(value) is types.ModuleType:
        space = vars(value)
        return {name: space[name] for name in _changing(value) if name in space}
    if isinstance(value, type):
        return {name: part for name, part in vars(value).items() if not name.startswith("__") and _is_data(part)}
    return value


def _is_data(value: Any) -> bool:
    return not callable(value) and not hasattr(type(value), "__get__")


@functools.lru_cache(maxsize=64)
def _changing(module: types.ModuleType) -> tuple[str, ...]:
    """Return the names at the top of a module that its functions change; all of its data if there is no source."""
    try:
        text = inspect.getsource(module)
        facts = module_facts(Module(module.__name__, "", ast.parse(text), False, True, text.encode()))
    except (OSError, TypeError, SyntaxError, ValueError):
        return tuple(name for name, value in vars(module).items() if not name.startswith("__") and _is_data(value))
    return tuple(row["name"] for row in changes_after_import(facts) if "." not in row["name"])


def identities(results: list[Any], values: list[Any]) -> tuple[tuple[int, bool] | None, ...]:
    """Which results are the same object, and whether the ``values`` still hold it; None where that means nothing.

    It means something for objects that compare by identity: their classes leave ``__eq__`` to `object`, so that two of
    them where one was expected are a difference that users see.
    """
    walk = _Walk()
    for value in values:
        walk.of(value)
    first: dict[int, int] = {}
    found: list[tuple[int, bool] | None] = []
    for position, result in enumerate(results):
        kind = type(result)
        compares: Any = kind.__eq__
        plain = kind in _ATOMS or compares is not object.__eq__ or issubclass(kind, (*_NAMED, *_SKIPPED))
        number = None if plain else first.setdefault(identity(result), position)
        found.append(None if number is None else (number, identity(result) in walk.numbers))
    return tuple(found)


def exception_name(error: BaseException) -> str:
    """Return the class of an exception, as users write it."""
    return class_name(type(error))


class _Walk:
    def __init__(self, named: Mapping[str, Any] | None = None) -> None:
        self.numbers: dict[int, int] = {}
        self._names = {identity(value): name for name, value in (named or {}).items()}
        self._kept: list[Any] = []
        self._left = LIMIT
        self._deeper = DEEPEST

    def of(self, value: Any) -> Canonical:
        kind = type(value)
        if kind in _ATOMS:
            return value
        if kind is str:
            return ("str", _ADDRESS.sub("0x...", value) if "0x" in value else value)
        if kind is float:
            return ("float", repr(value))
        if kind is bytes:
            return ("bytes", value.hex())
        self._left -= 1
        if self._left < 0:
            return ("...",)
        if issubclass(kind, enum.Enum):
            return ("enum", qualified_name(kind), value.name)
        if issubclass(kind, _NAMED):
            return ("named", getattr(value, "__qualname__", getattr(value, "__name__", "?")))
        if issubclass(kind, _PRINTED):
            return ("value", qualified_name(kind), _ADDRESS.sub("0x...", repr(value)))
        if issubclass(kind, _SKIPPED):
            return ("opaque", qualified_name(kind))
        if self._deeper == 0:
            return ("...",)
        if kind is tuple:
            return ("tuple", *self._parts(value))
        if issubclass(kind, BaseException):
            return ("exception", qualified_name(kind), *self._parts(value.args))
        key = identity(value)
        number = self.numbers.get(key)
        if number is not None:
            return ("same", number)
        if key in self._names:
            return ("variable", self._names[key])
        self.numbers[key] = len(self.numbers)
        self._kept.append(value)
        self._deeper -= 1
        try:
            return self._object(value, kind)
        finally:
            self._deeper += 1

    def _parts(self, values: Iterable[Any]) -> list[Canonical]:
        self._deeper -= 1
        try:
            return [self.of(part) for part in values]
        finally:
            self._deeper += 1

    def _object(self, value: Any, kind: type) -> Canonical:
        # Classes are asked, not instances: what an instance says of itself (`__class__`) is the code under test's word.
        if kind in OPAQUE:
            return ("primitive", short_name(kind), *_primitive(value))
        if issubclass(kind, types.MethodType):
            function = value.__func__  # any callable can be bound
            name = function.__qualname__ if issubclass(type(function), _NAMED) else self.of(function)
            return ("method", name, self.of(value.__self__))
        parts: list[Canonical] = [qualified_name(kind)]
        if issubclass(kind, dict):
            parts.append(self._mapping(value))
        elif issubclass(kind, list):
            parts.append(("items", *(self.of(part) for part in list.__iter__(value))))
        elif issubclass(kind, collections.deque):
            parts.append(("items", *(self.of(part) for part in collections.deque.__iter__(value))))
        elif issubclass(kind, set | frozenset):
            parts.append(("set", *sorted((self.of(part) for part in value), key=repr)))
        elif issubclass(kind, bytearray):
            parts.append(("bytes", bytes(value).hex()))
        elif issubclass(kind, tuple) or kind in _VIEWS:
            parts.append(("items", *(self.of(part) for part in value)))
        attributes = self._attributes(value)
        if attributes:
            parts.append(("state", *((name, self.of(held)) for name, held in attributes)))
        return tuple(parts)

    def _mapping(self, value: dict[Any, Any]) -> Canonical:
        items = [(self.of(key), self.of(dict.get(value, key))) for key in dict.__iter__(value)]
        if not issubclass(type(value), collections.OrderedDict):
            items.sort(key=repr)  # equal dictionaries may have different orders
        return ("mapping", *items)

    @staticmethod
    def _attributes(value: Any) -> list[tuple[str, Any]]:
        found: dict[str, Any] = {}
        found.update(attributes_of(value) or {})
        for cls in type(value).__mro__:
            slots = cls.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                held = cls.__dict__.get(name)
                if isinstance(held, types.MemberDescriptorType):
                    try:
                        found[name] = held.__get__(value)
                    except AttributeError:
                        continue
        return sorted(((name, held) for name, held in found.items() if isinstance(name, str)), key=_first)


def _first(item: tuple[str, Any]) -> str:
    return item[0]


def _primitive(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Baton):
        return ("held" if value.holder is not None else "free",)
    if isinstance(value, Semaphore):
        return (value._count,)
    if isinstance(value, Event):
        return (value._on,)
    return ()
