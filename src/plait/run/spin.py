"""Whether a thread that reads the same things again and again waits, or only walks along something.

A loop that waits comes back to the state it was in: the same place in the code, the same values in local variables, the
same position in what it walks along. One that gets on, such as a search through a list, has another position or counts.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from plait.run.operations import KEY_READ, READ

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from plait.run.vthread import VThread

_PLAIN = (int, float, complex, bool, str, bytes, type(None))
_FEW = 8

State = tuple[Any, ...]


def repeated(trace: Sequence[tuple[Any, ...]], thread: int, longest: int) -> int:
    """After how many entries the last ones repeat themselves; 0 unless all are reading accesses of the thread."""
    last = [entry[1:4] for entry in trace[-2 * longest :] if entry[0] == thread and entry[2] in (READ, KEY_READ)]
    if len(last) < min(2 * longest, len(trace)):
        return 0
    return next((many for many in range(1, longest + 1) if last[many:] == last[:-many]), 0)


def state_of(thread: VThread) -> State:
    """Return what the running thread would be in again if it only waited.

    Nothing is called but `repr` of plain values.
    """
    found: list[Any] = [tuple(position[0] for position in thread.walks)]
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if "_p_m" in frame.f_globals:  # a frame of the code under test
            values = tuple((name, _mark(value, 1)) for name, value in frame.f_locals.items())
            found.append((frame.f_code, frame.f_lasti, values))
        frame = frame.f_back
    return tuple(found)


def _mark(value: Any, depth: int) -> Any:
    """Return a value as far as it tells two rounds of a loop apart. Objects are told apart by where the loop reads."""
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if depth and kind in (tuple, list) and len(value) <= _FEW:
        return kind, tuple(_mark(each, depth - 1) for each in value)
    return kind, len(value) if kind in (tuple, list, dict, set, frozenset) else None
