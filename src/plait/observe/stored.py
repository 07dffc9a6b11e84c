"""The attributes that the methods of a class store, and their values."""

from __future__ import annotations

import dis
import types
from typing import Any
from weakref import WeakKeyDictionary

from plait.model.foreign import attributes_of

_known: WeakKeyDictionary[type, frozenset[str]] = WeakKeyDictionary()  # by class without its bases


def stored_names(cls: type) -> frozenset[str]:
    """Return the names that methods of the class, or of its bases, assign as attributes, and its slots."""
    return frozenset().union(*map(_own, cls.__mro__))


def stored_values(value: Any, name: str) -> list[Any]:
    """Return the values that an object, or else its class, stores under a name: one or none.

    No code of the class is run.
    """
    held = attributes_of(value)
    if type(held) is dict and name in held:
        return [held[name]]
    found = next((vars(owner)[name] for owner in type(value).__mro__ if name in vars(owner)), None)
    if isinstance(found, types.MemberDescriptorType):
        try:
            return [found.__get__(value)]
        except AttributeError:  # nothing in it yet
            return []
    return [] if found is None or hasattr(type(found), "__get__") else [found]


def _own(owner: type) -> frozenset[str]:
    known = _known.get(owner)
    if known is None:
        known = _known[owner] = _found(owner)
    return known


def _found(owner: type) -> frozenset[str]:
    slots = owner.__dict__.get("__slots__", ())
    found = {slots} if isinstance(slots, str) else set(slots)
    for held in list(owner.__dict__.values()):
        for name in ("__func__", "fget", "fset"):
            part = getattr(held, name, held)
            while isinstance(part, types.FunctionType):
                found |= _stores(part.__code__)
                part = getattr(part, "__wrapped__", None)
    return frozenset(name for name in found if not (name.startswith("__") and name.endswith("__")))


def _stores(code: types.CodeType) -> set[str]:
    found = {each.argval for each in dis.get_instructions(code) if each.opname == "STORE_ATTR"}
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _stores(inner)
    return found
