"""threading.local: attributes that each virtual thread has for itself."""

from __future__ import annotations

import itertools
from typing import Any

from plait.run.engine import ENGINE
from plait.run.heap import OPAQUE

_keys = itertools.count()  # never reused, unlike id()
_outside: dict[int, dict[str, Any]] = {}  # what the main thread has set, also outside of executions


class local:  # noqa: N801 - the name that threading gives it
    """`threading.local`: at every access, the instance dictionary is replaced by that of the running thread."""

    __slots__ = ("__dict__", "__weakref__", "_plait_init")
    _plait_init: tuple[int, tuple[Any, ...], dict[str, Any]]

    def __new__(cls, /, *args: Any, **named: Any) -> local:
        """Mirror `threading.local`: the arguments are for ``__init__``, once per thread."""
        if (args or named) and cls.__init__ is object.__init__:
            raise TypeError("Initialization arguments are not supported")
        self = object.__new__(cls)
        key = next(_keys)
        object.__setattr__(self, "_plait_init", (key, args, named))
        _table()[key] = object.__getattribute__(self, "__dict__")
        return self

    def __getattribute__(self, name: str) -> Any:
        _exchange(self)
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "__dict__":
            raise AttributeError(f"{type(self).__name__!r} object attribute '__dict__' is read-only")
        _exchange(self)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name == "__dict__":
            raise AttributeError(f"{type(self).__name__!r} object attribute '__dict__' is read-only")
        _exchange(self)
        object.__delattr__(self, name)


def _table() -> dict[int, dict[str, Any]]:
    thread = ENGINE.thread
    if thread.id == 0:
        return _outside
    if thread.locals is None:
        thread.locals = {}
    return thread.locals


_init = vars(local)["_plait_init"].__get__  # a slot, so that the instance dictionary holds the user's alone


def _exchange(self: local) -> None:
    key, args, named = _init(self)
    table = _table()
    mine = table.get(key)
    if mine is None:
        mine = table[key] = {}
        object.__setattr__(self, "__dict__", mine)
        type(self).__init__(self, *args, **named)
    elif mine is not object.__getattribute__(self, "__dict__"):
        object.__setattr__(self, "__dict__", mine)


local.__module__ = "_thread"  # as the real one says
OPAQUE.add(local)
