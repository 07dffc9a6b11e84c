"""Values and object states as plain data that can be compared across executions, processes and versions.

Objects are numbered in the order of a traversal, so cycles and aliases show and addresses do not. A lock is held or
free. No code under test is run: state is read from instance dictionaries and slots.
"""

from __future__ import annotations

import array
import ast
import builtins
import collections
import datetime as dt
import decimal
import enum
import fractions
import functools
import gc
import inspect
import io
import itertools
import pathlib
import re
import types
import uuid
from collections.abc import Callable, Iterable, Mapping
from operator import is_
from typing import Any

from plait.model.foreign import (
    Canonical,
    attributes_of,
    class_name,
    is_a,
    is_imported,
    member_name,
    own_name,
    qualified_name,
    short_name,
)  # fmt: skip
from plait.run.heap import OPAQUE
from plait.run.identity import identity
from plait.run.primitives.kinds import primitive_kind
from plait.subject.package.facts import module_facts
from plait.subject.package.suspects import changes_after_import
from plait.subject.source import Module

LIMIT = 4000  # parts of one value; further ones are not compared
DEEPEST = 120  # objects inside each other, likewise: the depth that recursive functions can handle
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|\b[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}\b"
)
"""The text of a result of `uuid.uuid4`, which differs each time, whatever the threads do."""
_SHORTEST_RANDOM = 32
_REGION = 40  # bits that the addresses of objects differ in, those of a region of memory
_ALIGNED = 16
_MEMORY = id(object()) >> _REGION
_ATOMS = frozenset({int, bool, type(None)})
_PRINTED = (
    dt.date, dt.time, dt.timedelta, dt.tzinfo, decimal.Decimal, fractions.Fraction,
    pathlib.PurePath, uuid.UUID, re.Pattern, range, slice, complex,
)  # fmt: skip
_NAMED = (types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType)
_SKIPPED = (types.FrameType, types.CodeType, types.TracebackType, types.CoroutineType)
_CHANGED_IN_PLACE = (list, dict, set, bytearray, collections.deque)
_STRING = {str}
_VIEWS: frozenset[type] = frozenset({type({}.keys()), type({}.values()), type({}.items())})
_WRITTEN_IN_C: dict[type, Callable[[Any], Iterable[Any]]] = {
    # What lies behind a proxy: its methods would ask that for it, which may be code under test.
    types.MappingProxyType: gc.get_referents,
    array.array: lambda value: (array.array.tobytes(value),),
    functools.partial: lambda value: (value.func, value.args, value.keywords),
    itertools.count: lambda value: value.__reduce__()[1],
    io.StringIO: lambda value: () if value.closed else (io.StringIO.getvalue(value),),
    io.BytesIO: lambda value: () if value.closed else (io.BytesIO.getvalue(value),),
}
"""How to get at the parts of objects that have neither attributes nor slots, without running code under test."""
if hasattr(builtins, "frozendict"):  # 3.15
    _WRITTEN_IN_C[builtins.frozendict] = lambda value: (dict(value),)


def canonical(value: Any, named: Mapping[str, Any] | None = None) -> Canonical:
    """Return the canonical form of a value and its parts; the name of an object in ``named`` stands for its content."""
    return value if type(value) in _ATOMS and not _is_address(value) else _Walk(named).of(value)


def _is_address(value: Any) -> bool:
    """Return whether a number is most likely a result of `id`: the address of an object means nothing.

    Times in whole seconds, milliseconds or nanoseconds are far from the addresses of memory.
    """
    return _MEMORY > 0 and value is not None and value >> _REGION == _MEMORY and value % _ALIGNED == 0


def canonical_all(values: list[Any]) -> Canonical:
    """Return the canonical form of several values together, so that aliases between them show."""
    walk = _Walk()
    return tuple(walk.of(value) for value in values)


def with_state(value: Any) -> Any:
    """Return the part of a variable that belongs to a final state: of a module or class, the names that can change.

    Any other value is returned as it is. Names that only module-level code changes, or that functions only read, are
    left out: otherwise tables of constants would be compared after every execution.
    """
    if type(value) is types.ModuleType:
        space = vars(value)
        return {name: space[name] for name in _changing(value) if name in space}
    if is_a(value, type):
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
    """Return which results are one object, and whether ``values`` still hold it; None where identity means nothing.

    It matters for objects whose classes inherit ``__eq__`` from `object`: users notice if there are two of them where
    one was expected. It also matters for containers that ``values`` hold: what a user puts into another one is lost.
    """
    if all(_compares_by_value(each) and not issubclass(type(each), _CHANGED_IN_PLACE) for each in results):
        return (None,) * len(results)
    walk = _Walk()
    for value in values:
        walk.of(value)
    first: dict[int, int] = {}
    found: list[tuple[int, bool] | None] = []
    for position, result in enumerate(results):
        held = identity(result) in walk.numbers
        if _compares_by_value(result) and not (held and issubclass(type(result), _CHANGED_IN_PLACE)):
            found.append(None)
        else:
            found.append((first.setdefault(identity(result), position), held))
    return tuple(found)


def _compares_by_value(result: Any) -> bool:
    """Return whether a result is compared by value, so that its identity means nothing."""
    kind = type(result)
    if kind in _ATOMS:
        return True
    if issubclass(kind, types.ModuleType):
        return False
    compares: Any = kind.__eq__
    return compares is not object.__eq__ or issubclass(kind, (*_NAMED, *_SKIPPED))


def exception_name(error: BaseException) -> str:
    """Return the name of an exception's class, as users write it."""
    return class_name(type(error))


_SEEN, _ENUM, _NAME, _PRINT, _SKIP, _TUPLE, _EXCEPTION = range(7)
_MAPPING, _LIST, _DEQUE, _SET, _BYTEARRAY, _ITEMS, _IN_C, _PRIMITIVE, _METHOD, _PLAIN = range(7, 17)
_ways: dict[type, int] = {}
_slots: dict[type, tuple[tuple[str, Any], ...]] = {}
_sorted: dict[type, tuple[tuple[str, ...], tuple[str, ...]]] = {}  # the attributes of an instance, and sorted


def _way_of(kind: type) -> int:
    """Return how the values of a class are read; it depends on the class alone and is cached."""
    # The class is examined, not the instance: an instance can lie about its class (`__class__`).
    above: tuple[tuple[Any, int], ...] = (
        (enum.Enum, _ENUM), (_NAMED, _NAME), (_PRINTED, _PRINT), (_SKIPPED, _SKIP), (BaseException, _EXCEPTION),
    )  # fmt: skip
    inside: tuple[tuple[Any, int], ...] = (
        (types.MethodType, _METHOD), (dict, _MAPPING), (list, _LIST), (collections.deque, _DEQUE),
        (set | frozenset, _SET), (bytearray, _BYTEARRAY), (tuple, _ITEMS),
    )  # fmt: skip
    found = next((way for kinds, way in above if issubclass(kind, kinds)), None)
    if kind is tuple:
        found = _TUPLE
    elif found is None and kind in OPAQUE:
        found = _PRIMITIVE
    elif kind in _WRITTEN_IN_C:
        found = _IN_C
    elif found is None:
        other = _ITEMS if kind in _VIEWS else _PLAIN
        found = next((way for kinds, way in inside if issubclass(kind, kinds)), other)
    _ways[kind] = found
    return found


def _slots_of(kind: type) -> tuple[tuple[str, Any], ...]:
    """Return the slots of a class by name, those of its bases last."""
    found: list[tuple[str, Any]] = []
    for cls in kind.__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            held = cls.__dict__.get(name)
            if isinstance(held, types.MemberDescriptorType):
                found.append((name, held))
    _slots[kind] = tuple(found)
    return _slots[kind]


class _Walk:
    def __init__(self, named: Mapping[str, Any] | None = None) -> None:
        self.numbers: dict[int, int] = {}
        self._names = {identity(value): name for name, value in named.items()} if named else {}
        self._kept: list[Any] = []
        self._odd: dict[int | str, int] = {}  # addresses and random names, by their first appearance
        self._left = LIMIT
        self._deeper = DEEPEST

    def of(self, value: Any) -> Canonical:
        kind = type(value)
        if kind in _ATOMS:
            return ("address", self._odd.setdefault(value, len(self._odd))) if _is_address(value) else value
        if kind is str:
            text = _ADDRESS.sub("0x...", value) if "0x" in value else value
            return ("str", _RANDOM.sub(self._numbered, text) if len(text) >= _SHORTEST_RANDOM else text)
        if kind is float:
            return ("float", repr(value))
        if kind is bytes:
            return ("bytes", value.hex())
        self._left -= 1
        if self._left < 0:
            return ("...",)
        way = _ways.get(kind) or _way_of(kind)
        if way == _PRINT and kind is uuid.UUID:
            return ("value", qualified_name(kind), _RANDOM.sub(self._numbered, repr(value)))
        if way == _NAME and is_a(value, types.ModuleType) and not is_imported(value):
            way = _PLAIN
        if way <= _SKIP:
            return _leaf(value, kind, way)
        if self._deeper == 0:
            return ("...",)
        if way == _TUPLE:
            return ("tuple", *self._parts(value))
        if way == _EXCEPTION:
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
            return self._object(value, kind, way)
        finally:
            self._deeper += 1

    def _numbered(self, found: re.Match[str]) -> str:
        return f"<random {self._odd.setdefault(found[0], len(self._odd))}>"

    def _parts(self, values: Iterable[Any]) -> list[Canonical]:
        self._deeper -= 1
        try:
            return [self.of(part) for part in values]
        finally:
            self._deeper += 1

    def _object(self, value: Any, kind: type, way: int) -> Canonical:
        if way == _PRIMITIVE:
            primitive = primitive_kind(value)
            return ("primitive", short_name(kind), *(primitive.state(value) if primitive is not None else ()))
        if way == _METHOD:
            function = value.__func__  # any callable can be bound
            name = function.__qualname__ if issubclass(type(function), _NAMED) else self.of(function)
            return ("method", name, self.of(value.__self__))
        parts: list[Canonical] = [qualified_name(kind)]
        if way != _PLAIN:
            parts.append(self._content(value, way))
        attributes = self._attributes(value, kind)
        if attributes:
            of = self.of
            parts.append(("state", *[(name, of(held)) for name, held in attributes]))
        return tuple(parts)

    def _content(self, value: Any, way: int) -> Canonical:
        of = self.of
        if way == _MAPPING:
            return self._mapping(value)
        if way == _LIST:
            return ("items", *[of(part) for part in list.__iter__(value)])
        if way == _DEQUE:
            return ("items", *[of(part) for part in collections.deque.__iter__(value)])
        if way == _SET:
            return ("set", *sorted([of(part) for part in value], key=repr))
        if way == _BYTEARRAY:
            return ("bytes", bytes(value).hex())
        if way == _IN_C:
            return ("items", *[of(part) for part in _WRITTEN_IN_C[type(value)](value)])
        return ("items", *[of(part) for part in value])

    def _mapping(self, value: dict[Any, Any]) -> Canonical:
        of = self.of
        # Keys are not looked up: that would call their `__hash__`, which is code under test and may not end.
        items = [(of(key), of(held)) for key, held in dict.items(value)]
        if len(items) > 1 and not issubclass(type(value), collections.OrderedDict):
            items.sort(key=repr)  # equal dictionaries may have different orders
        return ("mapping", *items)

    @staticmethod
    def _attributes(value: Any, kind: type) -> list[tuple[str, Any]]:
        own = attributes_of(value)
        slots = _slots.get(kind)
        if slots is None:
            slots = _slots_of(kind)
        if slots:
            found = dict(own or {})
            for name, held in slots:
                try:
                    found[name] = held.__get__(value)
                except AttributeError:
                    continue
            own = found
        if not own:
            return []
        known = _sorted.get(kind)
        # Compare by identity: `==` with a key that is no plain string may run code under test.
        if known is None or len(own) != len(known[0]) or not all(map(is_, own, known[0])):
            if set(map(type, own)) != _STRING:
                return sorted([item for item in own.items() if isinstance(item[0], str)], key=_first)
            known = _sorted[kind] = (tuple(own), tuple(sorted(own)))
        return [(name, own[name]) for name in known[1]]


def _leaf(value: Any, kind: type, way: int) -> Canonical:
    """Return the canonical form of a value without parts."""
    if way == _ENUM:
        return ("enum", qualified_name(kind), member_name(value))
    if way == _NAME:
        return ("named", own_name(value))
    if way == _PRINT:
        return ("value", qualified_name(kind), _ADDRESS.sub("0x...", repr(value)))
    return ("opaque", qualified_name(kind))


def _first(item: tuple[str, Any]) -> str:
    return item[0]
