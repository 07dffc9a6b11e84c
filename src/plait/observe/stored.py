"""Which attributes the methods of a class store."""

from __future__ import annotations

import dis
import types

_known: dict[type, frozenset[str]] = {}


def stored_names(cls: type) -> frozenset[str]:
    """Names that code of the class's methods assigns as attributes, and its slots, of bases too."""
    known = _known.get(cls)
    if known is None:
        known = _known[cls] = _found(cls)
    return known


def _found(cls: type) -> frozenset[str]:
    found: set[str] = set()
    for owner in cls.__mro__:
        slots = owner.__dict__.get("__slots__", ())
        found.update((slots,) if isinstance(slots, str) else slots)
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
