"""How content is read as a whole or walked along: one point for all of it, or one for each step.

What is atomic to C code is read at one moment, together with the containers inside of it. Whatever is walked along,
by a loop or by C code that asks for one element after the other, has a point per element.
"""

from __future__ import annotations

import gc
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

from plait.run.containers import is_container, is_read, is_view
from plait.run.engine import ENGINE, access, also
from plait.run.operations import READ
from plait.run.vthread import VThread

_HEAP = ENGINE.heap
DEPTH, MAX_NESTED = 2, 32  # how far inside a value other containers are looked for, and in how large ones
_NESTING = frozenset({dict, list, tuple, set, frozenset, deque})


def scan_args(thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Code that is not rewritten is given these, and may look at everything in them: one point for all of it."""
    point = 0
    for arg in args:
        if is_read(type(arg)):
            for container in containers_in(arg, DEPTH):
                loc = _HEAP.whole(container)
                if not point:
                    point = loc
                    access(thread, loc, READ, site)
                elif loc != point:
                    also(thread, loc, READ, site)


def scan_too(thread: VThread, args: tuple[Any, ...], site: int, point: int) -> None:
    """All of the arguments' content is read by an operation that had its point for the location ``point``."""
    for arg in args:
        if is_read(type(arg)):
            for container in containers_in(arg, DEPTH):
                loc = _HEAP.whole(container)
                if loc != point:
                    also(thread, loc, READ, site)


def containers_in(value: Any, depth: int) -> Iterator[Any]:
    """The containers that comparing, printing or copying a value looks at: itself, and those inside of it."""
    kind = type(value)
    if is_container(kind):
        yield value
    elif is_view(kind):
        yield from [referent for referent in gc.get_referents(value) if is_container(type(referent))][:1]
        return
    elif kind is not tuple:
        return
    if depth and kind in _NESTING and len(value) <= MAX_NESTED:
        for inner in gc.get_referents(value):
            if type(inner) is tuple or is_container(type(inner)):
                yield from containers_in(inner, depth - 1)


def iterate(value: Any, site: int) -> Any:
    """The iterable a loop walks: each step over a container is a point."""
    if ENGINE.current is None:
        return value
    kind = type(value)
    if is_container(kind):
        if type(kind.__dict__.get("__iter__")) is types.FunctionType or _overrides_iter(kind):
            return value
        return _walk(value, value, site)
    if is_view(kind):
        for referent in gc.get_referents(value):
            if is_container(type(referent)):
                return _walk(referent, value, site)
    return value


def _walk(container: Any, value: Any, site: int) -> Iterator[Any]:
    thread = ENGINE.current
    if thread is not None and not isinstance(container, list):  # the others' iterators remember the size
        access(thread, _HEAP.whole(container), READ, site)
    return _steps(container, iter(value), site)


def _overrides_iter(kind: type) -> bool:
    return isinstance(kind.__iter__, types.FunctionType)  # type: ignore[attr-defined]


def _steps(container: Any, iterator: Iterator[Any], site: int) -> Iterator[Any]:
    position = [0]
    owner = ENGINE.current
    if owner is not None:
        owner.walks.append(position)
    try:
        while True:
            thread = ENGINE.current
            if thread is not None:
                if position[0]:
                    thread.may_switch = True  # the loop's backward jump
                access(thread, _HEAP.whole(container), READ, site)
            position[0] += 1
            try:
                value = next(iterator)
            except StopIteration:
                return
            yield value
    finally:
        if owner is not None:
            owner.walks = [each for each in owner.walks if each is not position]
