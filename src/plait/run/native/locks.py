"""Locks that count how often each was taken, how often a thread had to wait, and for how long.

This file imports nothing but the standard library: a measuring process runs it before it imports the code under test.
Watched locks are slower than the interpreter's own, so their times are good for shares, not for durations.
"""

# ruff: noqa: PTH119 - runs inside what is measured, where fewer imports are better

from __future__ import annotations

import ast
import linecache
import os
import sys
import threading
import time
from typing import Any

_now = time.perf_counter_ns
_TRANSPARENT = ("threading", "queue", "concurrent.futures.thread", "concurrent.futures._base", "multiprocessing.pool")
"""Modules whose locks are attributed to their callers: the lock of a queue belongs to the line that makes the queue."""


class LockSite:
    """All locks made by one line."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.acquired = self.contended = self.wait_ns = 0


class Watched:
    """A lock in place of one of the interpreter's; it counts for its site."""

    def __init__(self, inner: Any, site: LockSite) -> None:
        self._inner = inner
        self._site = site

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock, and record whether it was free."""
        site = self._site
        if self._inner.acquire(False):
            site.acquired += 1
            return True
        if not blocking:
            return False
        start = _now()
        taken: bool = self._inner.acquire(True, timeout)
        # On a free-threaded build, threads that count at once lose a few counts; the shares are hardly affected.
        site.wait_ns += _now() - start
        site.contended += 1
        site.acquired += taken
        return taken

    __enter__ = acquire

    def __exit__(self, *_: object) -> None:
        self._inner.release()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __repr__(self) -> str:
        return repr(self._inner)


class LockProfile:
    """Replaces ``threading.Lock`` and ``threading.RLock`` by watched ones."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root) + os.sep
        self._sites: dict[tuple[str, int], LockSite] = {}

    def install(self) -> None:
        """Replace the locks. Call this before the code under test is imported, which may keep the names."""
        for name in ("Lock", "RLock"):
            make = getattr(threading, name)
            # Classes, because code may write `Lock | None` or ask `isinstance`.
            setattr(threading, name, type(name, (), {"__new__": lambda _, make=make: self._made(make)}))

    def reset(self) -> None:
        """Count from zero."""
        for site in self._sites.values():
            site.acquired = site.contended = site.wait_ns = 0

    def locks(self) -> list[dict[str, Any]]:
        """Return the locks that were used, by name, those with the longest waits first."""
        named: dict[str, LockSite] = {}
        for each in self._sites.values():
            total = named.setdefault(each.name, LockSite(each.name))
            total.acquired += each.acquired
            total.contended += each.contended
            total.wait_ns += each.wait_ns
        return [
            {"lock": each.name, "acquired": each.acquired, "contended": each.contended, "wait_ns": each.wait_ns}
            for each in sorted(named.values(), key=lambda each: (-each.wait_ns, -each.acquired, each.name))
            if each.acquired
        ]

    def _made(self, make: Any) -> Any:
        frame = sys._getframe(2)
        while frame.f_back is not None and frame.f_globals.get("__name__") in _TRANSPARENT:
            frame = frame.f_back
        if frame.f_globals.get("__name__") == "__main__":  # the measuring process starts a thread
            return make()
        place = (frame.f_code.co_filename, frame.f_lineno)
        if place not in self._sites:
            self._sites[place] = LockSite(self._name(*place, frame.f_globals.get("__name__", "")))
        return Watched(make(), self._sites[place])

    def _name(self, file: str, line: int, module: str) -> str:
        """Return the name of the lock in the source: the target of the assignment in that line."""
        owner, target = _assigned("".join(linecache.getlines(file)), line)
        if target is None:
            return "a lock made in " + os.path.basename(file) + ":" + str(line)
        if not os.path.realpath(file).startswith(self._root):
            return module + ("." + owner if owner else "") + " " + target
        return target


def _assigned(source: str, line: int) -> tuple[str | None, str | None]:
    """Return the class that contains a line, and the target of the innermost assignment in the line."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None, None
    owner = target = None
    for node in ast.walk(tree):  # outer nodes come before inner ones
        if not getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", 0) or 0):
            continue
        if isinstance(node, ast.ClassDef):
            owner = node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            first = node.targets[0] if isinstance(node, ast.Assign) else node.target
            target = ast.get_source_segment(source, first)
    return owner, target
