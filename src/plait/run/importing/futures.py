"""Connect `asyncio`, `socketserver` and other standard modules that use threads to the mirrored modules."""

from __future__ import annotations

import asyncio.futures
import concurrent.futures
import sys
import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    try:
        yield
    finally:
        while changed:
            space, name, before = changed.pop()
            space[name] = before
