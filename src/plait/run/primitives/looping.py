"""Whether a call stands in a loop of the function that makes it: then the function may be waiting for the result.

``while monotonic() < end`` reads the clock again and again in one function, and does not end unless time passes. An
event loop reads it as often, through a function of its clock, and goes on whatever it says.
"""

from __future__ import annotations

import dis
import sys
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from types import CodeType, FrameType

_OWN = "plait.run."
_loops: WeakKeyDictionary[CodeType, tuple[tuple[int, int], ...]] = WeakKeyDictionary()


def is_called_in_a_loop() -> bool:
    """Return whether code under test has called the primitive that asks, from inside of a loop."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_OWN):
        frame = frame.f_back
    return frame is not None and any(first <= frame.f_lasti <= last for first, last in _loops_of(frame.f_code))


def _loops_of(code: CodeType) -> tuple[tuple[int, int], ...]:
    """Return the first and the last instruction of each loop."""
    found = _loops.get(code)
    if found is None:
        found = _loops[code] = tuple(
            (each.argval, each.offset)
            for each in dis.get_instructions(code)
            if "JUMP_BACKWARD" in each.opname and "NO_INTERRUPT" not in each.opname  # that one waits for a coroutine
        )
    return found
