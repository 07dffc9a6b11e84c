"""The hooks of variables that threads share: globals, and variables of a function that nested functions use."""

from __future__ import annotations

from typing import Any

from plait.run.engine import ENGINE, access
from plait.run.operations import READ, WRITE

_HEAP = ENGINE.heap


def read_global(module: str, name: str, site: int) -> bool:
    """Announce the load of a module global that functions assign."""
    thread = ENGINE.current
    if thread is not None:
        access(thread, _HEAP.global_loc(module, name), READ, site)
    return True


def write_global(module: str, name: str, site: int) -> None:
    """Announce the store of a module global."""
    thread = ENGINE.current
    if thread is not None:
        access(thread, _HEAP.global_loc(module, name), WRITE, site)


class Cell:
    """The identity of the variables of one function call that nested functions assign."""


def read_cell(cell: Any, name: str, site: int) -> bool:
    """Announce the load of a shared closure variable."""
    thread = ENGINE.current
    if thread is not None:
        access(thread, _HEAP.loc_of(cell, name), READ, site)
    return True


def write_cell(cell: Any, name: str, site: int) -> None:
    """Announce the store of a shared closure variable."""
    thread = ENGINE.current
    if thread is not None:
        access(thread, _HEAP.loc_of(cell, name), WRITE, site)
