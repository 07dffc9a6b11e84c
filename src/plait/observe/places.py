"""Names for the steps of an execution: their places in the source, and the locations that they access."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import fractions
import itertools
import pathlib
import sys
import types
import uuid
import zoneinfo
from array import array
from collections.abc import Iterable
from typing import Any

from plait.model.site import Site
from plait.run.engine import Engine
from plait.run.foreign_waits import PORTS
from plait.run.heap import OPAQUE, WHOLE
from plait.run.hooks.variables import Cell
from plait.run.primitives.condition import Condition
from plait.run.primitives.site import SITES as CALL_SITES
from plait.run.primitives.site import SKIPPED
from plait.run.vthread import VThread

_NAMELESS = (int, str, float, bytes, types.FunctionType, type, types.ModuleType, type(None))
_MOST_PARTS = 100  # of one container
PLACES: dict[int, Site] = {}  # the rewritten places of this process
HINTS: dict[
    int, str
] = {}  # names of objects by identity, such as variables, in addition to those found by their owners

_UNKNOWN = Site(0, "?", "?", 0, "?", "?", "?", 0)


def place(number: int) -> Site:
    """Return the place with this number; a step of the engine itself has none."""
    return PLACES.get(number) or CALL_SITES.get(number) or _UNKNOWN


def is_machinery(site: Site) -> bool:
    """Return whether a place is inside of the thread modules; reports name their callers instead."""
    return not site.line or site.module in SKIPPED or site.module.startswith("plait.")


def owners(engine: Engine) -> dict[int, str]:
    """Return names for containers and locks, by the attribute (or variable) that holds them.

    The parts of a queue or a condition are named after it: ``Line.items.mutex``.
    """
    found: dict[int, str] = {}
    objects = [obj for obj in list(engine.heap.kept) if not issubclass(type(obj), types.ModuleType | VThread)]
    mirrored = [obj for obj in objects if _is_mirrored(type(obj))]
    holders = [obj for obj in objects if not _is_mirrored(type(obj))]
    for obj in holders:
        _name_parts(obj, (obj if issubclass(type(obj), type) else type(obj)).__name__, found)
    found = {**HINTS, **found}
    for module in dict.fromkeys(place(entry[3]).module for entry in engine.trace):
        holders.append(sys.modules.get(module))
        for name, value in list((_attributes(holders[-1]) or {}).items()):
            _name_value(value, name, found)
    # If no thread waits, an execution accesses the lock of a condition but never the condition itself.
    mirrored += [value for obj in holders for value in _fields(obj).values() if type(value) is Condition]
    for obj in mirrored:
        path = found.get(id(obj), type(obj).__name__)
        if type(obj) is Condition:
            found.setdefault(id(obj._lock), path)
        else:
            _name_parts(obj, path, found)
    for obj in mirrored:  # conditions that only a queue holds
        if type(obj) is Condition:
            found.setdefault(id(obj._lock), found.get(id(obj), "a Condition"))
    return found


def _is_mirrored(kind: type) -> bool:
    return kind.__module__ in SKIPPED or not OPAQUE.isdisjoint(kind.__mro__)


def _name_parts(obj: Any, path: str, found: dict[int, str]) -> None:
    for name, value in _fields(obj).items():
        _name_value(value, f"{path}.{name}", found)


def _name_value(value: Any, path: str, found: dict[int, str]) -> None:
    """Name the value of an attribute or a variable, and the locks and containers in it by their index or key."""
    if not issubclass(type(value), _NAMELESS):
        found.setdefault(id(value), path)
    parts: Iterable[tuple[Any, Any]] = ()
    if issubclass(type(value), list | tuple):
        parts = enumerate(value)
    elif issubclass(type(value), dict):
        parts = dict.items(value)
    for key, part in itertools.islice(parts, _MOST_PARTS):
        if type(part) in OPAQUE or type(part) in (list, dict, set):
            found.setdefault(id(part), f"{path}[{shown(key)}]")


def _attributes(obj: Any) -> Any:
    """Return the instance dictionary without calling any attribute method of the class."""
    try:
        return object.__getattribute__(obj, "__dict__")
    except Exception:
        return None


def _fields(obj: Any) -> dict[str, Any]:
    """Return what an object holds, in its instance dictionary and in slots."""
    found = dict(_attributes(obj) or {})
    for cls in type(obj).__mro__:
        for name, member in list(vars(cls).items()):
            if type(member) is types.MemberDescriptorType and cls.__module__ != "builtins":
                # Not by `contextlib`, which may be the rewritten one: its accesses would count as steps.
                try:
                    found.setdefault(name, member.__get__(obj))
                except AttributeError:  # nothing in it yet
                    continue
    return found


def location(engine: Engine, loc: int, names: dict[int, str]) -> str:
    """Return the name of a location in a report: ``Account.balance``, ``Cache._d['a']``, ``Account._lock``."""
    obj, name = engine.heap.locs[loc]
    if obj is None:
        return ""
    if issubclass(type(obj), str):
        return f"{obj}.{name}"
    if issubclass(type(obj), VThread):
        return "the clock" if name == "clock" else f"end of {obj.name}"
    if issubclass(type(obj), Cell):
        return str(name)
    if obj is PORTS:
        return "a socket or pipe"
    if name is WHOLE or engine.heap.roots[loc] != loc:
        base = names.get(id(obj)) or _nameless(obj)
        if name is WHOLE:
            return base
        try:
            return f"{base}[{name!r}]"
        except Exception:  # the `repr` of the key failed
            return f"{base}[<{type(name).__qualname__}>]"
    if not OPAQUE.isdisjoint(type(obj).__mro__):  # the fields of a primitive have no names for users
        return names.get(id(obj)) or _nameless(obj)
    if issubclass(type(obj), type):
        return f"{obj.__name__}.{name}"
    return f"{type(obj).__name__}.{name}"


def _nameless(obj: Any) -> str:
    name = type(obj).__name__
    return f"{'an' if name == 'RLock' or name[:1] in 'AEIOUaeiou' else 'a'} {name}"


_SHORT = 60


def shown(value: Any) -> str:
    """Return the text of a value in a report: plain values and containers of them by `repr`, others by their class.

    No code under test is run: classes are compared by identity, so that a subclass with its own ``__repr__`` does not
    count as plain, and the parts of an object are read without its properties.
    """
    text = _shown(value, 3)
    return text if len(text) <= _SHORT else text[: _SHORT - 3] + "..."


_MOST_SHOWN = 8  # parts of a container
_MOST_BITS = 256
_PLAIN = frozenset({float, bool, complex, type(None)})
_ZONES = frozenset({type(None), dt.timezone, zoneinfo.ZoneInfo})
_PRINTED = frozenset({
    decimal.Decimal, fractions.Fraction, uuid.UUID, dt.date, dt.timedelta, range, pathlib.PosixPath,
    pathlib.PurePosixPath, pathlib.WindowsPath, pathlib.PureWindowsPath,
})  # fmt: skip


def _shown(value: Any, depth: int) -> str:
    kind = type(value)
    if kind in _PLAIN or kind in _PRINTED or (kind in (dt.datetime, dt.time) and type(value.tzinfo) in _ZONES):
        return repr(value)
    if issubclass(kind, enum.Enum):
        name = (_attributes(value) or {}).get("_name_")
        return f"{kind.__name__}.{name}" if type(name) is str else f"<{kind.__name__}>"
    if issubclass(kind, int):
        return int.__repr__(value) if int.bit_length(value) <= _MOST_BITS else f"<int of {int.bit_length(value)} bits>"
    if issubclass(kind, str):
        return _cut(str.__repr__(str.__getitem__(value, slice(_SHORT))), str.__len__(value))
    if issubclass(kind, bytes):
        return _cut(bytes.__repr__(bytes.__getitem__(value, slice(_SHORT))), bytes.__len__(value))
    return _shown_parts(value, kind, depth)


def _cut(text: str, length: int) -> str:
    return text if length <= _SHORT else f"{text[: _SHORT - 4]}..."


def _shown_parts(value: Any, kind: type, depth: int) -> str:
    """Return the text of a container or an object that is made of plain values."""
    if depth and issubclass(kind, dict) and dict.__len__(value) <= _MOST_SHOWN:
        items = ", ".join(f"{_shown(k, depth - 1)}: {_shown(v, depth - 1)}" for k, v in dict.items(value))
        return f"{{{items}}}" if kind is dict else f"{kind.__name__}({{{items}}})"
    for base, (left, right) in _BRACKETS.items():
        if depth and issubclass(kind, base) and base.__len__(value) <= _MOST_SHOWN:
            return _shown_items(kind, base, left, right, [_shown(part, depth - 1) for part in base.__iter__(value)])
    if issubclass(kind, (dict, *_BRACKETS)):
        base = next(each for each in (dict, *_BRACKETS) if issubclass(kind, each))
        return f"<{kind.__name__} of {base.__len__(value)}>"
    if depth and kind.__module__ == "builtins" and issubclass(kind, BaseException):
        return f"{kind.__name__}({', '.join(_shown(part, depth - 1) for part in value.args[:_MOST_SHOWN])})"
    fields = vars(kind).get("__dataclass_fields__")
    if depth and type(fields) is dict and len(fields) <= _MOST_SHOWN:
        parts = {name: _part(value, name) for name in fields if type(name) is str}
        said = [f"{name}={_shown(part, depth - 1)}" for name, part in parts.items() if part is not _NOTHING]
        return f"{kind.__name__}({', '.join(said)})"
    return f"<{kind.__name__}>"


_BRACKETS: dict[Any, tuple[str, str]] = {
    list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), frozenset: ("{", "}"), collections.deque: ("[", "]"),
}  # fmt: skip


def _shown_items(kind: type, base: type, left: str, right: str, parts: list[str]) -> str:
    names = vars(kind).get("_fields")
    if base is tuple and type(names) is tuple and len(names) == len(parts):  # a named tuple
        return f"{kind.__name__}({', '.join(f'{name}={part}' for name, part in zip(names, parts, strict=True))})"
    inner = f"{left}{', '.join(parts)}{',' if base is tuple and len(parts) == 1 else ''}{right}"
    if not parts and issubclass(base, set | frozenset):
        return f"{kind.__name__}()"
    return inner if kind in (list, tuple, set) else f"{kind.__name__}({inner})"


def _part(value: Any, name: str, *, plain: bool = False) -> Any:
    """Return an attribute from the instance's dictionary or slots, without calling properties.

    With ``plain``, also look in the class, but not for descriptors: they run code whose accesses would be recorded, and
    to record them would need this function again.
    """
    attributes = _attributes(value)
    if type(attributes) is dict and name in attributes:
        return attributes[name]
    for cls in type(value).__mro__:
        member = vars(cls).get(name)
        if member is not None:
            if type(member) is not types.MemberDescriptorType:
                return (
                    member if plain and not any("__get__" in vars(each) for each in type(member).__mro__) else _NOTHING
                )
            try:
                return member.__get__(value)
            except AttributeError:
                return _NOTHING
    return _NOTHING


_NOTHING = object()


def held_value(obj: Any, name: Any, *, key: bool) -> Any:
    """Return the current value of a location, without running code under test; `_NOTHING` if that is not possible."""
    try:
        if name is WHOLE:
            return obj
        if key:
            if issubclass(type(obj), dict):
                return dict.get(obj, name, _NOTHING)
            for kind in (list, collections.deque, bytearray, array):
                if issubclass(type(obj), kind):
                    return kind.__getitem__(obj, name)
            return _NOTHING
        if issubclass(type(obj), str):  # a module: its functions are not worth showing
            value = (_attributes(sys.modules.get(obj)) or {}).get(name, _NOTHING)
            return _NOTHING if callable(value) else value
        if issubclass(type(obj), VThread):
            return _NOTHING
        if issubclass(type(obj), type):
            return vars(obj).get(name, _NOTHING)
        return _part(obj, name, plain=True)
    except Exception:
        return _NOTHING


def _is_in(content: Any, element: Any) -> bool:
    """Return whether a set contains an element, without running code under test."""
    kind = type(element)
    plain = kind in _PLAIN or kind in (int, str, bytes)
    members = set.__iter__(content) if issubclass(type(content), set) else frozenset.__iter__(content)
    return any(each is element or (plain and type(each) is kind and each == element) for each in members)


def held_text(engine: Engine, loc: int) -> str | None:
    """Return the text of the current value of a location, see `shown`."""
    obj, name = engine.heap.locs[loc]
    if issubclass(type(obj), type):
        obj = _holder(engine, obj, name)
    key = name is not WHOLE and engine.heap.roots[loc] != loc
    if key and issubclass(type(obj), (set, frozenset)):
        return "(there)" if _is_in(obj, name) else None
    value = held_value(obj, name, key=key)
    return None if value is _NOTHING else shown(value)


def _holder(engine: Engine, cls: type, name: Any) -> Any:
    """Return the object that holds an attribute which a class declares: instances may have their own, at one location.

    That is the only instance that has one, or the class if no instance has; None if several have.
    """
    mine = [obj for obj in engine.heap.kept if any(base is cls for base in type(obj).__mro__)]
    found = [obj for obj in mine if name in (_attributes(obj) or ())]
    return cls if not found else found[0] if len(found) == 1 else ""
