"""What code under test replaces in `time`, `threading` and the like is replaced in both forms of the module.

Rewritten code sees the mirrored modules, everybody else the real ones. A test that replaces ``time.time``, by
`monkeypatch` or `unittest.mock`, has only one module in mind, and may reach either of the two.
"""

from __future__ import annotations

import sys
import types
from _thread import get_ident
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from plait.run.engine import ENGINE
from plait.run.fibers import OURS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SET, _DELETE = types.ModuleType.__setattr__, types.ModuleType.__delattr__
_OWN = ("excepthook",)  # what each form has for itself


@contextmanager
def shared_patches(mirrored: Mapping[str, types.ModuleType]) -> Iterator[None]:
    """Carry replacements that virtual threads make from one form of a module to the other, until the block ends.

    What is still replaced then is put back.
    """
    with ExitStack() as stack:
        for name, module in mirrored.items():
            real = sys.modules.get(name)
            if type(real) is types.ModuleType and real is not module:
                stack.enter_context(_shared(real, module))
        yield


@contextmanager
def _shared(real: types.ModuleType, mirrored: types.ModuleType) -> Iterator[None]:
    first, second = dict(vars(real)), dict(vars(mirrored))
    kinds = type(real), type(mirrored)
    touched: set[str] = set()
    real.__class__ = _carrying(kinds[0], mirrored, first, second, touched)
    mirrored.__class__ = _carrying(kinds[1], real, second, first, touched)
    try:
        yield
    finally:
        real.__class__, mirrored.__class__ = kinds
        for module, before in ((real, first), (mirrored, second)):
            for name in touched:
                _SET(module, name, before[name])


def _carrying(
    kind: type, other: types.ModuleType, before: Mapping[str, Any], others: Mapping[str, Any], touched: set[str]
) -> type:
    """Return the class of a module whose replaced variables ``other`` gets too; both had other values before."""

    def is_shared(name: str) -> bool:
        ours = ENGINE.thread.id > 0 and get_ident() in OURS
        return ours and name in before and name in others and name not in _OWN

    class Carrying(kind):  # type: ignore[misc]
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if is_shared(name):
                touched.add(name)
                _SET(other, name, others[name] if value is before[name] else value)

        def __delattr__(self, name: str) -> None:
            super().__delattr__(name)
            if is_shared(name):
                touched.add(name)
                if name in vars(other):
                    _DELETE(other, name)

    return Carrying
