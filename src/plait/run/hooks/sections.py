"""Changes of a container in several steps under its own lock; some reads do not take that lock, and see each step."""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable
from typing import Any, Final

from plait.run.engine import ENGINE, access, also
from plait.run.hooks.iteration import Feeding, is_plain, walked
from plait.run.operations import SHIFT, SHIFT_ALL, WRITE
from plait.run.vthread import VThread

NATIVE: Final = object()
"""The result of a performer if the call is one step after all."""

Function = Callable[[VThread, Any, int, tuple[Any, ...], dict[str, Any]], Any]
Method = Callable[[VThread, Any, Any, int, tuple[Any, ...], dict[str, Any]], Any]

_HEAP = ENGINE.heap


class section:  # noqa: N801 - used like the function that it would be if `contextlib` were not code under test
    """The first step of a change that keeps the container's lock until it is complete.

    With the GIL it needs no lock: no other thread runs before Python code does.
    """

    __slots__ = ("_loc", "_opened", "_site", "_thread")

    def __init__(self, thread: VThread, container: Any, site: int) -> None:
        self._thread = thread
        self._site = site
        self._loc = _HEAP.whole(container)
        self._opened = -1

    def __enter__(self) -> None:
        access(self._thread, self._loc, WRITE, self._site)
        if not ENGINE.gil:
            ENGINE.open_section(self._thread, self._loc)
            self._opened = ENGINE.step

    def __exit__(self, *_error: object) -> None:
        if self._opened >= 0 and ENGINE.current is not None:
            if ENGINE.step != self._opened:
                also(self._thread, self._loc, SHIFT, self._site)
            ENGINE.close_section(self._loc)


_BY_CONTENT = (tuple, list, dict, set, frozenset, collections.deque)


@functools.cache
def compares_in_python(kind: Any) -> bool:
    """Return whether comparing values of this type may run Python code."""
    if issubclass(kind, _BY_CONTENT):
        return True
    return any(isinstance(getattr(kind, name), types.FunctionType) for name in ("__eq__", "__lt__"))


def feed(thread: VThread, native: Any, target: Any, source: Any, site: int) -> None:
    """Feed a container element by element; it keeps its lock unless Python code runs in between."""
    given = walked(source, site)
    if not is_plain(given):
        native(Feeding(given, target, site, WRITE))
        return
    with section(thread, target, site):
        native(Feeding(given, target, site, SHIFT_ALL))


def is_iterable(value: Any) -> bool:
    """Return whether a value's class supports iteration."""
    return hasattr(type(value), "__iter__")
