"""Numbers the objects and locations that one execution touches, in order of first touch.

Rewritten code names an access by object and attribute (or key). The heap translates it to a location number; 0 means
that the access touches no shared state: methods, properties (their code has points of its own), functions of modules,
immutable values. Objects are kept alive until the execution ends, so that no two of them ever have the same identity.
"""

from __future__ import annotations

import functools
import gc
import sys
import types
from enum import Enum
from typing import Any

from plait.model.foreign import MODULE_DICT, attributes_of
from plait.run.identity import identity

Record = dict[Any, int]

_CODE = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType, types.MethodWrapperType, classmethod, staticmethod, property,
)  # fmt: skip
_IMMUTABLE = frozenset({
    int, float, complex, bool, str, bytes, tuple, frozenset, range, slice, type(None), type(Ellipsis),
    types.BuiltinFunctionType, types.MethodType, types.CodeType, types.MappingProxyType, property, staticmethod,
    classmethod,
})  # fmt: skip
_SLOT = types.MemberDescriptorType
_COMPUTED = types.GetSetDescriptorType
_COMPUTING = (BaseException, types.CellType)  # their attributes that C code computes can be assigned
_FUNCTION_DATA = frozenset({"__defaults__", "__kwdefaults__", "__code__"})
WHOLE = object()  # the key of a record under which the location of the whole object stands
_MISSING = object()

OPAQUE: set[type] = set()  # the mirror's primitives: their methods are points already

_space_of = MODULE_DICT.__get__  # a subclass of modules may define `__dict__` otherwise


class Heap:
    """The objects of one execution.

    ``objects`` maps an object's identity to its record (attribute to location), ``contents`` a container's identity to
    the record of its keys, ``globals`` a module's name to the record of its variables.
    """

    __slots__ = ("_globals", "aliases", "contents", "kept", "locs", "objects", "roots")

    def __init__(self) -> None:
        self.objects: dict[int, Record] = {}
        self.contents: dict[int, Record] = {}
        self._globals: dict[str, Record] = {}
        # Number 0 is no location: the access that gets it has no point.
        self.locs: list[tuple[Any, Any]] = [(None, None)]
        # For a key, the location of its container: "do these touch the same container" is one look-up in inner loops.
        self.roots: list[int] = [0]
        self.aliases: dict[int, Any] = {}
        self.kept: list[Any] = []  # an object that dies would hand its identity on to the next one

    def clear(self) -> None:
        """Forget all objects and locations; numbers start again at 1."""
        # Numbers are given in order of first touch, so that the same prefix of choices gives the same numbers in every
        # execution: searches compare steps of different executions by them.
        self.objects.clear()
        self.contents.clear()
        self._globals.clear()
        self.locs = [(None, None)]
        self.roots = [0]
        self.aliases.clear()
        self.kept = []

    def record(self, obj: Any) -> Record:
        """Return the record of an object, which is made at the first access."""
        key = identity(obj)
        found = self.objects.get(key)
        return self.new_record(obj, key) if found is None else found

    def new_record(self, obj: Any, key: int) -> Record:
        """Return the record of an object that has none; ``key`` is its identity."""
        record: Record = {}
        self.objects[key] = record
        self.kept.append(obj)
        return record

    def new_loc(self, obj: Any, name: Any, root: int = 0) -> int:
        """Return a new location; for a key, ``root`` is the location of its container."""
        number = len(self.locs)
        self.locs.append((obj, name))
        self.roots.append(root or number)
        return number

    def loc_of(self, obj: Any, name: Any) -> int:
        """Return the location of a named part of an object, without looking the attribute up."""
        key = identity(obj)
        record = self.objects.get(key)
        if record is None:
            record = self.new_record(obj, key)
        loc = record.get(name)
        if not loc:
            loc = record[name] = self.new_loc(obj, name)
        return loc

    def field(self, obj: Any, record: Record, name: str, *, store: bool = False) -> int:
        """Return the location of an attribute, or 0 if its access touches no shared state."""
        kind = type(obj)
        if kind in _IMMUTABLE or kind in OPAQUE:
            record[name] = 0
            return 0
        # `isinstance` would ask the object itself (`__class__`): code under test, and endless where it is instrumented.
        if issubclass(kind, type):
            return self._class_field(obj, record, name)
        if issubclass(kind, types.ModuleType):
            return self._module_field(obj, record, name, store=store)
        if name[:2] == "__" and name[-2:] == "__":
            if name == "__dict__":
                self._alias(obj, record)
            elif kind is types.FunctionType:
                if name == "__globals__":
                    self.alias_module(obj.__globals__)
                elif name == "__closure__":
                    self._alias_cells(obj)
                elif name in _FUNCTION_DATA:
                    loc = record[name] = self.new_loc(obj, name)
                    return loc
            record[name] = 0
            return 0
        for owner in kind.__mro__:
            found = owner.__dict__.get(name, _MISSING)
            if found is not _MISSING:
                return self._declared(obj, record, name, owner, found, store=store)
        loc = record[name] = self.new_loc(obj, name)
        return loc

    def _declared(self, obj: Any, record: Record, name: str, owner: type, found: Any, *, store: bool) -> int:
        """Return the location of an attribute that the object's class, or a base class, also has."""
        if isinstance(found, _SLOT) or (type(found) is _COMPUTED and issubclass(type(obj), _COMPUTING)):
            loc = record[name] = self.new_loc(obj, name)
            return loc
        kind = type(found)
        if hasattr(kind, "__set__"):
            record[name] = 0  # a data descriptor: its own code runs
            return 0
        instance = attributes_of(obj)
        if hasattr(kind, "__get__"):
            if store or (instance is not None and name in instance):
                loc = record[name] = self.new_loc(obj, name)
                return loc
            if isinstance(found, _CODE):
                record[name] = 0
            return 0  # not remembered: a cached property will put a value into the instance
        # Data on the class that instances may shadow: one location for all, so that no conflict is missed.
        loc = self.loc_of(owner, name)
        record[name] = loc
        return loc

    def _class_field(self, cls: type, record: Record, name: str) -> int:
        if name == "__dict__":
            self._alias_class(cls)
        for owner in cls.__mro__:
            found = owner.__dict__.get(name, _MISSING)
            if found is not _MISSING:
                if issubclass(type(found), (*_CODE, type, types.ModuleType)) or hasattr(type(found), "__get__"):
                    record[name] = 0
                    return 0
                loc = self.loc_of(owner, name)
                record[name] = loc
                return loc
        if name[:2] == "__":
            record[name] = 0
            return 0
        return self.loc_of(cls, name)

    def _module_field(self, module: types.ModuleType, record: Record, name: str, *, store: bool) -> int:
        if name == "__dict__":
            self.alias_module(_space_of(module))
            record[name] = 0
            return 0
        value = _space_of(module).get(name, _MISSING)
        if not store and (value is _MISSING or issubclass(type(value), (*_CODE, type, types.ModuleType))):
            record[name] = 0
            return 0
        loc = record[name] = self.global_loc(module.__name__, name)
        return loc

    def global_loc(self, module: str, name: str) -> int:
        """Return the location of a module's global; it is the same for every way to access it."""
        record = self._globals.setdefault(module, {})
        loc = record.get(name)
        if not loc:
            loc = record[name] = self.new_loc(module, name)
        return loc

    def _alias(self, obj: Any, record: Record) -> None:
        """Treat the keys of ``obj.__dict__``, which escapes, as the object's fields from now on."""
        attributes = attributes_of(obj)
        if attributes is not None and identity(attributes) not in self.contents:
            self.contents[identity(attributes)] = record
            self.aliases[identity(attributes)] = obj
            self.kept.append(attributes)

    def alias_module(self, space: dict[str, Any]) -> None:
        """Treat the keys of a module's dictionary, which escapes, as the module's variables from now on."""
        key = identity(space)
        if key not in self.contents:
            name = space.get("__name__")
            module = sys.modules.get(name) if type(name) is str else None
            if module is not None and getattr(module, "__dict__", None) is space:
                self.contents[key] = self._globals.setdefault(str(name), {})
                self.aliases[key] = name
                self.kept.append(space)

    def _alias_class(self, cls: type) -> None:
        """Treat the keys of a class's dictionary, which escapes behind a proxy, as its attributes."""
        space = next(iter(gc.get_referents(type.__dict__["__dict__"].__get__(cls))), None)
        if space is not None and identity(space) not in self.contents:
            self.contents[identity(space)] = self.record(cls)
            self.aliases[identity(space)] = cls
            self.kept.append(space)

    def _alias_cells(self, function: types.FunctionType) -> None:
        """Treat the contents of a function's cells, which escape, as the variables that tokens stand for."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name, cell in cells.items():
            token = cells.get(f"_p_cell_{name}")
            if token is not None:
                self.record(cell)["cell_contents"] = self.loc_of(token.cell_contents, name)

    def _content(self, container: Any, key: int) -> Record:
        record: Record = {}
        self.contents[key] = record
        self.kept.append(container)
        return record

    def whole(self, container: Any) -> int:
        """Return the location of a container as a whole."""
        key = identity(container)
        record = self.contents.get(key)
        if record is None:
            record = self._content(container, key)
        loc = record.get(WHOLE)
        if loc is None:
            loc = record[WHOLE] = self.new_loc(container, WHOLE)
        return loc

    def key(self, container: Any, key: Any) -> int:
        """Return the location of a key; 0 if comparing it runs code, so that the whole container stands for it."""
        number = identity(container)
        record = self.contents.get(number)
        if record is None:
            record = self._content(container, number)
        name = _plain_key(key)
        if name is None:
            return 0
        loc = record.get(name)
        if loc is None or (loc == 0 and number in self.aliases):
            owner = self.aliases.get(number)
            if owner is not None:
                loc = record[name] = self.new_loc(owner, name)
                return loc
            if type(name) is tuple and name and name[0] is _Identity:
                self.kept.append(key)
            loc = record[name] = self.new_loc(container, key, self.whole(container))
        return loc

    def first_touch(self, obj: Any, container: Any) -> int:
        """Return a number by which objects in a container can be put into order; 0 for one that was never touched.

        It is the object's first own location, or that of its key: no other object has either of them.
        """
        fields = self.objects.get(identity(obj), {}).values()
        key = self.contents.get(identity(container), {}).get((_Identity, identity(obj)), 0)
        return next((loc for loc in fields if loc and self.locs[loc][0] is obj), key)


class _Identity:
    """Marks a key that is compared by identity."""


_ATOMS = frozenset({int, float, bool, str, bytes, type(None), complex})


@functools.lru_cache(maxsize=4096)
def hashed_by_address(kind: Any) -> bool:
    """Return whether the objects of a class have the hash, and are compared, as `object` does it."""
    return kind.__hash__ is object.__hash__ and kind.__eq__ is object.__eq__


def hashed_in_c(kind: Any) -> bool:
    """Return whether hashing and comparing the objects of a class runs no Python code."""
    return kind in _ATOMS or _by_identity(kind)


def _by_identity(kind: Any) -> bool:
    return hashed_by_address(kind) or issubclass(kind, (type, Enum))


def _plain_key(key: Any) -> Any:
    """Return a stand-in for a key that can be hashed without running code under test; None if there is none."""
    kind = type(key)
    if kind in _ATOMS:
        return key if key is not None else (_Identity, 0)
    if kind is tuple:
        parts = tuple(_plain_key(part) for part in key)
        return None if None in parts else ("tuple", parts)
    if _by_identity(kind):
        return (_Identity, identity(key))
    return None
