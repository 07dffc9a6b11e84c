"""The methods of built-in containers, and what each reads or writes: one key, or the whole container.

A method that is not listed for its type neither reads nor writes the container's content.
"""

from __future__ import annotations

import array
import builtins
import collections
import functools
import gc
import types
import weakref
from typing import Any, Final

from plait.run.primitives.local import local
from plait.run.primitives.lock import Lock
from plait.run.primitives.simple_queue import SimpleQueue

KEY_GET: Final = "key-get"
KEY_SET: Final = "key-set"  # inserts the key if it is new
KEY_DEL: Final = "key-del"
KEY_DEFAULT: Final = "key-default"  # reads the key, inserts it if it is missing
SCAN: Final = "scan"
CHANGE: Final = "change"

_MAPPING = {
    "get": KEY_GET, "__getitem__": KEY_GET, "__contains__": KEY_GET, "__setitem__": KEY_SET, "setdefault": KEY_DEFAULT,
    "pop": KEY_DEL, "__delitem__": KEY_DEL, "popitem": CHANGE, "clear": CHANGE, "update": CHANGE, "__ior__": CHANGE,
    "copy": SCAN, "__len__": SCAN, "__eq__": SCAN, "__ne__": SCAN, "__iter__": SCAN, "__reversed__": SCAN,
    "__repr__": SCAN, "__or__": SCAN, "__ror__": SCAN, "move_to_end": CHANGE, "__init__": CHANGE, "__copy__": SCAN,
}  # fmt: skip
_SET = {
    "add": KEY_SET, "discard": KEY_DEL, "remove": KEY_DEL, "__contains__": KEY_GET, "pop": CHANGE, "clear": CHANGE,
    "update": CHANGE, "difference_update": CHANGE, "intersection_update": CHANGE, "symmetric_difference_update": CHANGE,
    "__ior__": CHANGE, "__iand__": CHANGE, "__isub__": CHANGE, "__ixor__": CHANGE, "copy": SCAN, "union": SCAN,
    "difference": SCAN, "intersection": SCAN, "symmetric_difference": SCAN, "issubset": SCAN, "issuperset": SCAN,
    "isdisjoint": SCAN, "__len__": SCAN, "__iter__": SCAN, "__eq__": SCAN, "__or__": SCAN, "__and__": SCAN,
    "__sub__": SCAN, "__xor__": SCAN, "__repr__": SCAN, "__le__": SCAN, "__ge__": SCAN,
}  # fmt: skip
_SEQUENCE = {
    "__getitem__": KEY_GET, "__setitem__": KEY_SET, "__delitem__": CHANGE, "append": CHANGE, "extend": CHANGE,
    "insert": CHANGE, "remove": CHANGE, "pop": CHANGE, "clear": CHANGE, "sort": CHANGE, "reverse": CHANGE,
    "__iadd__": CHANGE, "__imul__": CHANGE, "appendleft": CHANGE, "popleft": CHANGE, "extendleft": CHANGE,
    "rotate": CHANGE, "frombytes": CHANGE, "fromlist": CHANGE, "index": SCAN, "count": SCAN, "copy": SCAN,
    "__len__": SCAN, "__contains__": SCAN, "__iter__": SCAN, "__reversed__": SCAN, "__eq__": SCAN, "__add__": SCAN,
    "__mul__": SCAN, "__repr__": SCAN, "tolist": SCAN, "tobytes": SCAN, "decode": SCAN, "find": SCAN, "__copy__": SCAN,
}  # fmt: skip

# Methods of container classes written in Python (Counter and the like) that only read; all others may change it.
READING = frozenset({
    "most_common", "elements", "total", "copy", "keys", "values", "items", "__add__", "__sub__", "__or__", "__and__",
    "__eq__", "__ne__", "__le__", "__lt__", "__ge__", "__gt__", "__repr__", "__pos__", "__neg__", "__copy__",
    "__reduce__", "__missing__", "__reversed__", "__contains__", "__len__", "__iter__", "get", "__getitem__",
    "valuerefs", "itervaluerefs", "keyrefs", "union", "difference", "intersection", "issubset", "issuperset",
    "isdisjoint",
})  # fmt: skip

OPERATIONS: dict[type, dict[str, str]] = {
    dict: _MAPPING,
    collections.OrderedDict: _MAPPING,
    collections.defaultdict: {**_MAPPING, "__missing__": KEY_SET},
    set: _SET,
    list: _SEQUENCE,
    collections.deque: _SEQUENCE,
    bytearray: _SEQUENCE,
    array.array: _SEQUENCE,
}
SEQUENCES = (list, collections.deque, bytearray, array.array)
# Python code that is not rewritten: callbacks of weak references run inside deallocation. Each call is one step.
_WEAK = frozenset({weakref.WeakValueDictionary, weakref.WeakKeyDictionary, weakref.WeakSet})
_CONTAINERS = (dict, set, list, collections.deque, bytearray, array.array)

FROZEN: tuple[type, ...] = (builtins.frozendict,) if hasattr(builtins, "frozendict") else ()
"""Mappings that never change, from 3.15 on; their values may change."""

_VIEWS = frozenset({
    type({}.keys()), type({}.values()), type({}.items()),
    type(iter({})), type(iter({}.values())), type(iter({}.items())),
    type(iter([])), type(reversed([])), type(iter(set())), type(iter(collections.deque())),
    type(collections.OrderedDict().keys()), type(collections.OrderedDict().values()),
    type(collections.OrderedDict().items()), type(iter(collections.OrderedDict())), type(reversed({})),
})  # fmt: skip

WINDOWS = frozenset({types.MappingProxyType, memoryview})  # they show what is in another container


def shown_container(window: Any) -> Any:
    """Return the container behind a proxy or memory view; None if its content is no shared state."""
    container: Any = window.obj if type(window) is memoryview else next(iter(gc.get_referents(window)), None)
    return container if is_container(type(container)) else None


_C_CALLABLES = (
    types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
)  # fmt: skip

_is_container: dict[type, bool] = {}


def is_container(kind: type) -> bool:
    """Return whether values of this type hold shared content that code without hooks reads and writes."""
    known = _is_container.get(kind)
    if known is None:
        known = _is_container[kind] = issubclass(kind, _CONTAINERS) or is_weak(kind)
    return known


def is_weak(kind: type) -> bool:
    """Return whether values of this type are weak dictionaries or sets.

    Their bases are asked, not `issubclass`: these are abstract base classes, which run code under control to answer.
    """
    return not _WEAK.isdisjoint(kind.__mro__)


_is_read: dict[type, bool] = {}


def is_read(kind: type) -> bool:
    """Return whether comparing, printing or copying a value of this type reads shared content."""
    known = _is_read.get(kind)
    if known is None:
        known = kind is tuple or is_container(kind) or is_view(kind) or kind in WINDOWS or kind in FROZEN
        _is_read[kind] = known
    return known


def is_view(kind: type) -> bool:
    """Return whether values of this type (views, iterators) read another container."""
    return kind in _VIEWS


def operation(descriptor: Any, name: str) -> str | None:
    """Return the operation that a C method performs on its container, by the class that defines the method."""
    owner = getattr(descriptor, "__objclass__", None)
    operations = OPERATIONS.get(owner) if owner is not None else None
    return None if operations is None else operations.get(name)


def is_c_callable(value: Any) -> bool:
    """Return whether calling the value runs C code, after which a GIL build may switch."""
    kind = type(value)  # asked of the type: the value itself could lie
    if issubclass(kind, _C_CALLABLES):
        return True
    return issubclass(kind, type) and type(value.__dict__.get("__init__")) is not types.FunctionType


_MADE_IN_C = frozenset({Lock, local, SimpleQueue})  # virtual here, C code in CPython


def fills_missing(kind: type) -> bool:
    """Return whether reading a missing key stores one, as `collections.defaultdict` does."""
    return issubclass(kind, collections.defaultdict) and kind.__missing__ is collections.defaultdict.__missing__


def makes_in_python(container: Any) -> bool:
    """Return whether Python code makes the value of a missing key: other threads may run before it is stored."""
    return _is_python(container.default_factory)


def _is_python(factory: Any) -> bool:
    if isinstance(factory, functools.partial):
        return _is_python(factory.func)
    if not isinstance(factory, type):
        return isinstance(factory, types.FunctionType | types.MethodType)
    if factory in _MADE_IN_C:
        return False
    made: tuple[Any, ...] = (factory.__new__, factory.__init__)  # type: ignore[misc]
    return any(isinstance(each, types.FunctionType) for each in made)
