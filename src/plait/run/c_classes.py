"""Exchanging attributes of classes that are written in C, which refuse `setattr`.

The class itself stays what it is: its identity, its instances and subclasses, how it is pickled and compared.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_modified = ctypes.pythonapi.PyType_Modified
_modified.argtypes = [ctypes.py_object]
_modified.restype = None
_MISSING = object()


def put(owner: type, attributes: Mapping[str, Any]) -> bool:
    """Put attributes into a class of C; return False where the interpreter does not show its dictionary."""
    space = next((each for each in gc.get_referents(vars(owner)) if type(each) is dict), None)
    if space is None:
        return False
    space.update(attributes)
    _modified(owner)
    return True


@contextmanager
def exchanged(owner: Any, name: str, new: Any) -> Iterator[None]:
    """Exchange an attribute of a module or a class, whoever wrote it, until the block ends."""
    before = vars(owner).get(name, _MISSING)
    try:
        setattr(owner, name, new)
    except TypeError:
        put(owner, {name: new})
        try:
            yield
        finally:
            put(owner, {name: before})
        return
    try:
        yield
    finally:
        if before is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, before)
