"""The GIL model: where the running thread may lose the GIL.

CPython checks whether another thread wants the GIL when a function begins and when a loop jumps back. C code may
release it at any moment. Rewritten code reports the first two (`plait.run.hooks.access.marker`). The third can be seen
only from outside: a switch is possible when a call of C code has returned. C code may itself call code under test,
whose accesses are separate steps. So the frames of the callers are kept until their calls are found to have returned.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.run.vthread import VThread

_MAX_CALLERS = 64  # frames kept before those whose calls have returned are removed


def call_began(thread: VThread) -> None:
    """Record that the running function calls code that is not rewritten."""
    frame = _rewritten_frame()
    callers = thread.callers
    if callers is None:
        callers = thread.callers = []
    if frame is not None and not (callers and callers[-1] is frame):
        if len(callers) >= _MAX_CALLERS:
            calls_ended(thread)
        callers.append(frame)


def calls_ended(thread: VThread) -> None:
    """Remove, before an access, the calls that have returned; if there are any, the thread may be switched."""
    here, callers = _rewritten_frame(), thread.callers
    while callers and (callers[-1] is here or not _is_below(callers[-1], here)):
        callers.pop()
        thread.may_switch = True


def _is_below(caller: FrameType, frame: FrameType | None) -> bool:
    """Return whether the frame of a caller is an outer frame of another frame, so that its call has not returned."""
    while frame is not None and frame is not caller:
        frame = frame.f_back
    return frame is not None


def _rewritten_frame() -> FrameType | None:
    """Return the innermost frame of code under test (compiled functions have no frame), or None."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and "_p_m" not in frame.f_globals:
        frame = frame.f_back
    return frame
