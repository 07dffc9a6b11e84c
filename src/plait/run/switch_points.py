"""Under the GIL model: where the thread that runs may lose the GIL.

CPython looks whether another thread wants the GIL when a function begins and when a loop jumps back, and C code may
give it up at any moment. Rewritten code says the first two itself (`plait.run.hooks.access.marker`). The third can be
seen only from outside: a thread may be switched once a call of C code is over, and C code may call code under test,
whose accesses are steps of their own. So callers are kept until they are found to have returned.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.run.vthread import VThread

MAX_CALLERS = 64  # calls of C code that may not be over yet; with more of them those that are over are looked for


def call_began(thread: VThread) -> None:
    """Note that the running function calls code that is not rewritten."""
    frame = _rewritten_frame()
    callers = thread.callers
    if frame is not None and not (callers and callers[-1] is frame):
        if len(callers) >= MAX_CALLERS:
            calls_ended(thread)
        callers.append(frame)


def calls_ended(thread: VThread) -> None:
    """Find out, before an access, which of these calls are over: after each, the thread may be switched."""
    here, callers = _rewritten_frame(), thread.callers
    while callers and (callers[-1] is here or not _is_below(callers[-1], here)):
        callers.pop()
        thread.may_switch = True


def _is_below(caller: FrameType, frame: FrameType | None) -> bool:
    """Return whether a function that has called something still waits for it, seen from a frame."""
    while frame is not None and frame is not caller:
        frame = frame.f_back
    return frame is not None


def _rewritten_frame() -> FrameType | None:
    """Return the innermost frame of code under test. Compiled functions have no frame: all others are looked at."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and "_p_m" not in frame.f_globals:
        frame = frame.f_back
    return frame
