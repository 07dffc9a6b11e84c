"""Reads of the content of containers: as a whole with one point, or by iteration with a point per element.

What C code reads atomically is read at one moment, together with the containers inside. Iteration, by a loop or by C
code that asks for one element after the other, has a point per element.
"""

from __future__ import annotations

import gc
import itertools
import types
from collections import deque
from collections.abc import Iterator
from operator import length_hint
from typing import Any

from plait.run.engine import ENGINE, access, also
from plait.run.hooks.containers import FROZEN, WINDOWS, is_c_callable, is_container, is_read, is_view, shown_container
from plait.run.hooks.set_order import steps_over
from plait.run.operations import KEY_READ, READ, WRITE
from plait.run.vthread import VThread

_HEAP = ENGINE.heap
_DEPTH, _MAX_NESTED = 2, 32  # how far inside a value other containers are looked for, and in how large ones
_NESTING = frozenset({dict, list, tuple, set, frozenset, deque, *FROZEN})
FEW = 16  # elements that C code walks along one by one; behind them it takes twice as many with each step
_IN_C = frozenset({map, filter, zip, enumerate, reversed}).union(
    value for value in vars(itertools).values() if isinstance(value, type)
)
_WITHIN = 4  # how many iterators written in C may stand one in the other


def scan_args(thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce the arguments of code that is not rewritten, which may read all content: one point for all of it."""
    point = 0
    for arg in args:
        if is_read(type(arg)):
            for container in containers_in(arg, _DEPTH):
                loc = _HEAP.whole(container)
                if not point:
                    point = loc
                    access(thread, loc, READ, site)
                elif loc != point:
                    also(thread, loc, READ, site)


def scan_too(thread: VThread, args: tuple[Any, ...], site: int, point: int) -> None:
    """Announce that an operation reads all content of its arguments; it has had its point, for location ``point``."""
    for arg in args:
        if is_read(type(arg)):
            for container in containers_in(arg, _DEPTH):
                loc = _HEAP.whole(container)
                if loc != point:
                    also(thread, loc, READ, site)


def containers_in(value: Any, depth: int) -> Iterator[Any]:
    """Yield the containers that are read when a value is compared, printed or copied: itself, and those inside."""
    kind = type(value)
    if is_container(kind):
        yield value
    elif is_view(kind):
        yield from [referent for referent in gc.get_referents(value) if is_container(type(referent))][:1]
        return
    elif kind in WINDOWS:
        shown = shown_container(value)
        if shown is not None:
            yield shown
        return
    elif kind is not tuple and kind not in FROZEN:
        return
    if depth and kind in _NESTING and len(value) <= _MAX_NESTED:
        for inner in gc.get_referents(value):
            if type(inner) is tuple or is_container(type(inner)) or type(inner) in FROZEN:
                yield from containers_in(inner, depth - 1)


def iterate(value: Any, site: int) -> Any:
    """Return the iterable of a loop; each step over a container is a point."""
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
    if kind in _IN_C:
        return _turns(value, site)
    return steps_over(value) if kind is frozenset else value


def _walk(container: Any, value: Any, site: int) -> Iterator[Any]:
    thread = ENGINE.current
    if thread is not None and not isinstance(container, list):  # the others' iterators remember the size
        access(thread, _HEAP.whole(container), READ, site)
    return _steps(container, steps_over(value), site)


def _overrides_iter(kind: type) -> bool:
    return isinstance(kind.__iter__, types.FunctionType)  # type: ignore[attr-defined]


def _steps(container: Any, iterator: Iterator[Any], site: int) -> Iterator[Any]:
    position = [0]
    loose = isinstance(container, list)  # its iterator takes no lock
    owner = ENGINE.current
    if owner is not None:
        owner.walks.append(position)
    try:
        while True:
            thread = ENGINE.current
            if thread is not None:
                if position[0]:
                    thread.may_switch = True  # the loop's backward jump
                thread.loose = loose
                access(thread, _HEAP.whole(container), READ, site)
                thread.loose = False
            position[0] += 1
            try:
                value = next(iterator)
            except StopIteration:
                return
            yield value
    finally:
        if owner is not None:
            owner.walks = [each for each in owner.walks if each is not position]


def _turns(iterator: Iterator[Any], site: int) -> Iterator[Any]:
    """Iterate over an iterator written in C; other threads may advance it as well."""
    first = True
    while True:
        thread = ENGINE.current
        if thread is not None:
            if not first:
                thread.may_switch = True  # the loop's backward jump
            first = False
            turn(thread, iterator, site)
        try:
            value = next(iterator)
        except StopIteration:
            return
        yield value


def turn(thread: VThread, iterator: Any, site: int) -> None:
    """Announce that an iterator in C is asked for its next element: it reads all its sources at one moment."""
    access(thread, _HEAP.loc_of(iterator, "next"), WRITE, site)
    for container in _sources(iterator, _WITHIN):
        also(thread, _HEAP.whole(container), READ, site)


def _sources(iterator: Any, depth: int) -> Iterator[Any]:
    """Yield the containers that an iterator written in C reads without a point of their own."""
    for referent in gc.get_referents(iterator):
        kind = type(referent)
        if is_container(kind):
            yield referent
        elif depth and (is_view(kind) or kind in _IN_C or kind in _TUPLES):
            yield from _sources(referent, depth - 1)


_TUPLES = frozenset({tuple, type(iter(()))})


class Walk:
    """The points of C code that reads one element of a container after the other.

    While no thread has made a step since its last point, it still reads at the same moment and needs no further point.
    With the GIL this holds until Python code has run in between; without the GIL, where only the first elements count.
    """

    __slots__ = ("_container", "_keys", "_loc", "_loose", "_site", "_step", "position")

    def __init__(self, container: Any, site: int, *, keys: bool = False) -> None:
        self._container = container
        self._site = site
        self._keys = keys
        self._loc = _HEAP.whole(container)
        self._loose = isinstance(container, list)  # its elements are read without a lock
        self._step = -1
        self.position = 0

    def point(self, thread: VThread) -> None:
        """Announce the read of the next element."""
        e = ENGINE
        at = self.position
        self.position = at + 1
        if self._step == e.step and (not thread.may_switch if e.gil else at >= FEW and at & (at - 1)):
            return
        if self._keys and at < FEW and not e.gil:
            access(thread, _HEAP.key(self._container, at), KEY_READ, self._site)
        else:
            thread.loose = self._loose
            access(thread, self._loc, READ, self._site)
            thread.loose = False
        self._step = e.step


class Stepping:
    """The iterator that C code gets in place of a container, a view, or an iterator over one: a point per element.

    It is no generator, because two threads may use it at the same time.
    """

    __slots__ = ("_inner", "_iterator", "_owner", "_place", "_site", "_walk")

    def __init__(self, container: Any, value: Any, site: int, *, deep: bool) -> None:
        """Read the content of the elements, too, if ``deep``: C code compares them, or tests their truth."""
        thread = ENGINE.current
        self._inner: list[Any] | None = [] if deep else None
        self._site = site
        self._owner = thread
        self._walk = Walk(container, site)
        self._place = [0]
        if thread is not None:
            thread.walks.append(self._place)
            if not isinstance(container, list) and hasattr(type(value), "__len__"):  # others remember the size
                self._walk.point(thread)
                self._walk.position = 0
        self._iterator = steps_over(value)

    def __iter__(self) -> Stepping:
        return self

    def __next__(self) -> Any:
        thread = ENGINE.current
        if thread is not None:
            self._walk.point(thread)
        self._place[0] += 1
        try:
            value = next(self._iterator)
        except BaseException:
            self._leave()
            raise
        inner = self._inner
        if inner is not None:
            if is_read(type(value)):
                inner.append(value)
            if inner and thread is not None:
                scan_too(thread, tuple(inner), self._site, 0)
        return value

    def __length_hint__(self) -> int:
        hint: Any = getattr(self._iterator, "__length_hint__", None)
        return 0 if hint is None else hint()

    def _leave(self) -> None:
        owner, self._owner = self._owner, None
        if owner is not None:
            owner.walks = [each for each in owner.walks if each is not self._place]

    def __del__(self) -> None:
        self._leave()


class _Turning:
    """The iterator that C code gets in place of another one in C, which may be shared: a point per element."""

    __slots__ = ("_iterator", "_site")

    def __init__(self, iterator: Any, site: int) -> None:
        self._iterator = iterator
        self._site = site

    def __iter__(self) -> _Turning:
        return self

    def __next__(self) -> Any:
        thread = ENGINE.current
        if thread is not None:
            turn(thread, self._iterator, self._site)
        return next(self._iterator)


class Feeding:
    """The iterator that a container gets when it takes element by element from an iterable: each one is a write."""

    __slots__ = ("_iterable", "_iterator", "_loc", "_mode", "_section", "_site")

    def __init__(self, iterable: Any, target: Any, site: int, mode: int, section: Any = None) -> None:
        """Take a ``section`` that ends when the iterable is exhausted."""
        self._section = section
        self._iterable = iterable
        self._iterator = iter(iterable)
        self._loc = _HEAP.whole(target)
        self._mode = mode
        self._site = site

    def __iter__(self) -> Feeding:
        return self

    def __next__(self) -> Any:
        try:
            value = next(self._iterator)
        except BaseException:
            section, self._section = self._section, None
            if section is not None:
                section.__exit__(None, None, None)
            raise
        thread = ENGINE.current
        if thread is not None:
            access(thread, self._loc, self._mode, self._site)
        return value

    def __length_hint__(self) -> int:
        return length_hint(self._iterable)


def walked(value: Any, site: int, *, deep: bool = False) -> Any:
    """Return the iterable to pass to C code in place of a value: the value itself if it needs no points."""
    kind = type(value)
    if is_container(kind):
        if type(kind.__dict__.get("__iter__")) is types.FunctionType or _overrides_iter(kind):
            return value
        return Stepping(value, value, site, deep=deep)
    if is_view(kind):
        for referent in gc.get_referents(value):
            if is_container(type(referent)):
                return Stepping(referent, value, site, deep=deep)
    if kind is frozenset:
        return steps_over(value)
    return _Turning(value, site) if kind in _IN_C else value


def is_plain(iterable: Any, depth: int = _WITHIN) -> bool:
    """Return whether iterating over a result of `walked` runs no Python code: then C code keeps its locks."""
    kind = type(iterable)
    if kind is Stepping:
        return True
    if kind is _Turning:
        return is_plain(iterable._iterator, depth)
    if kind is tuple or kind in _IN_C:
        return depth > 0 and all(is_plain(part, depth - 1) for part in gc.get_referents(iterable))
    return kind in (int, type(None), bool) or is_view(kind) or is_c_callable(iterable)
