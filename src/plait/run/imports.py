"""Imports inside functions: code under control gets the mirrored modules, everybody else the real ones."""

from __future__ import annotations

import builtins
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType


@contextmanager
def mirrored_imports(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    """``import threading`` in rewritten code gives ``modules["threading"]`` while this block runs."""
    real = builtins.__import__

    def mirrored(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - the names that the built-in gives them
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if level == 0 and globals is not None and "_p_r" in globals:
            found = modules.get(name if fromlist else name.partition(".")[0])
            if found is not None:
                return found
        return real(name, globals, locals, fromlist or (), level)

    builtins.__import__ = mirrored
    try:
        yield
    finally:
        builtins.__import__ = real
