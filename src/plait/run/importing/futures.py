"""Connect `asyncio`, `socketserver` and other standard modules that use threads to the mirrored modules."""

from __future__ import annotations

import asyncio.base_events
import asyncio.futures
import asyncio.tasks
import concurrent.futures
import functools
import itertools
import sys
import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_USERS = (
    "asyncio.base_events", "asyncio.tasks", "asyncio.runners", "asyncio.threads", "asyncio.unix_events",
    "asyncio.events", "logging", "logging.handlers", "socketserver", "wsgiref.simple_server", "xmlrpc.server",
)  # fmt: skip
"""Modules that start or await threads through names they have imported; their code stays as it is."""
_IMPORTED = ("threading", "concurrent", "queue")


class _Accepting(type):
    """The class of a class that futures of several modules are instances of."""

    kinds: tuple[type, ...] = ()

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.kinds)


@contextmanager
def standard_users(mirrored: Mapping[str, types.ModuleType]) -> Iterator[None]:
    """Make standard modules start virtual threads, and accept the futures of code under control, until the block ends.

    `asyncio` is not rewritten, and asserts that a future is an instance of the class that it has imported. Its module
    `futures` only tests whether an object is a future; the modules that make futures make mirrored ones.
    """
    kinds: list[type] = [concurrent.futures.Future]
    for name in ("concurrent.futures", "concurrent.futures._base"):
        kind = getattr(mirrored.get(name), "Future", None)
        if isinstance(kind, type) and kind not in kinds:
            kinds.append(kind)
    accepting = _Accepting("Future", (), {})
    accepting.kinds = tuple(kinds)
    standing = types.SimpleNamespace(futures=types.SimpleNamespace(**{**vars(concurrent.futures), "Future": accepting}))
    changed: list[tuple[dict[str, Any], str, Any]] = []

    def put(space: dict[str, Any], name: str, new: Any) -> None:
        changed.append((space, name, space[name]))
        space[name] = new

    put(vars(asyncio.futures), "concurrent", standing)
    for space in [vars(sys.modules[user]) for user in _USERS if user in sys.modules]:
        for name in _IMPORTED:
            if type(space.get(name)) is types.ModuleType and space[name] is sys.modules.get(name) and name in mirrored:
                put(space, name, mirrored[name])
    base = asyncio.base_events.BaseEventLoop
    create_task = base.create_task
    numbers: _Numbers = WeakKeyDictionary()
    base.create_task = _numbering(create_task, numbers)  # type: ignore[method-assign]
    real = asyncio.tasks.all_tasks
    ordered = _in_order(real, numbers)
    for module in list(sys.modules.values()):
        if type(module) is types.ModuleType and vars(module).get("all_tasks") is real:
            put(vars(module), "all_tasks", ordered)
    try:
        yield
    finally:
        base.create_task = create_task  # type: ignore[method-assign]
        while changed:
            space, name, before = changed.pop()
            space[name] = before


# -- tasks ------------------------------------------------------------------------------------------------------------
# `asyncio.all_tasks` is a set of objects whose hash is their address: its order would differ in each execution.

if TYPE_CHECKING:
    _Numbers = WeakKeyDictionary[Any, int]


def _numbering(create_task: Any, numbers: _Numbers) -> Any:
    following = itertools.count()

    @functools.wraps(create_task)
    def numbered(*args: Any, **named: Any) -> Any:
        task = create_task(*args, **named)
        numbers[task] = next(following)
        return task

    return numbered


class _Ordered(set[Any]):
    """Tasks in the order in which they were made."""

    numbers: _Numbers

    def __iter__(self) -> Iterator[Any]:
        return iter(sorted(super().__iter__(), key=lambda task: self.numbers.get(task, -1)))


def _in_order(all_tasks: Callable[..., set[Any]], numbers: _Numbers) -> Callable[..., set[Any]]:
    @functools.wraps(all_tasks)
    def in_order(*args: Any, **named: Any) -> set[Any]:
        found = _Ordered(all_tasks(*args, **named))
        found.numbers = numbers
        return found

    return in_order
