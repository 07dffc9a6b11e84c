"""Imports inside functions: code under control gets the mirrored modules, everybody else the real ones.

Imports that are put off (``lazy import``, from 3.15 on) are done before the first execution: a module that is loaded in
the middle of one would make the first execution differ from all others.
"""

from __future__ import annotations

import builtins
import contextlib
import types
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

_LAZY: type | None = getattr(types, "LazyImportType", None)


def resolve_lazy(module: ModuleType) -> bool:
    """Do the imports that a module has put off; return whether there were any.

    One that fails stays as it is, and fails again where the code uses it.
    """
    if _LAZY is None:
        return False
    late = [name for name, value in list(vars(module).items()) if type(value) is _LAZY]
    for name in late:
        with contextlib.suppress(Exception):
            getattr(module, name)
    return any(type(vars(module).get(name)) is not _LAZY for name in late)


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
