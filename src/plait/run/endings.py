"""How executions end, and what is raised to end a thread, a set-up or a look at an execution before its time."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # without the wrappers that make enumerations of numbers
import sys
import threading
from _thread import get_ident
from pathlib import Path
from typing import Any

FINISHED_RUN, DEADLOCK, HANG, DIVERGED, REDUNDANT = "finished", "deadlock", "hang", "diverged", "redundant"
"""The status of an execution."""


class Killed(BaseException):  # it must not look like an error that code under test would handle
    """Unwinds a virtual thread that an execution leaves behind."""


RAISED = BaseException
"""What a call under test may raise and its caller learns of: ``sys.exit`` ends the call, not plait. Behind `OWN`."""


class SetupBlockedError(RuntimeError):
    """The set-up (or the check) waits for something that nobody will ever do."""

    def __init__(self) -> None:
        super().__init__("blocks for ever before any thread of the test has started")


class HeldError(RuntimeError):
    """Something was evaluated beside an execution that would have to wait for one of its threads."""

    def __init__(self) -> None:
        super().__init__("this would wait for a thread, and all threads are held")


class SetupFailedError(RuntimeError):
    """The set-up raised, which it did not when the test was made: something outside of the test has changed."""


# -- patience ----------------------------------------------------------------------------------------------------------
# An end for code that may have none: what walks through a structure that threads have broken can go round for ever.


class EndlessError(BaseException):
    """Code has used up the time that it was given; no `Exception`, which the code itself might handle."""


OWN = (Killed, EndlessError)
"""What plait raises through code under test: nobody's result, so whoever catches `RAISED` lets it pass."""


class patience:  # noqa: N801 - reads as a function; a generator would run under control, and cost ten times as much
    """Raise `EndlessError` in what takes more than so many seconds of this process's own time.

    It is raised again and again where code catches everything. Only the main thread can be interrupted, and only
    between two steps of the interpreter: elsewhere, and without such timers, patience has no end. With ``parts`` the
    block is one of several things that each have so much time (and a part of it more): `renew` says that the next one
    begins. To set a timer takes longer than most of what it guards.
    """

    __slots__ = ("_before", "_parts", "_seconds", "_ticks", "_timed")

    def __init__(self, seconds: float, parts: int = 0) -> None:
        self._seconds = seconds
        self._parts = parts
        self._ticks = 0
        self._before: Any = None
        self._timed = False

    def __enter__(self) -> patience:
        self._timed = hasattr(_signal, "setitimer") and get_ident() == threading.main_thread().ident
        if self._timed:
            self._before = _signal.signal(_signal.SIGVTALRM, self._interrupt)
            interval = self._seconds / max(self._parts, 1)
            _signal.setitimer(_signal.ITIMER_VIRTUAL, interval, interval)
        return self

    def __exit__(self, *_: object) -> None:
        if self._timed:
            _signal.setitimer(_signal.ITIMER_VIRTUAL, 0)
            _signal.signal(_signal.SIGVTALRM, self._before)

    def renew(self) -> None:
        """Give what comes now all the time again."""
        self._ticks = 0

    def _interrupt(self, _number: int, _frame: object) -> None:
        self._ticks += 1
        if self._ticks > self._parts:
            raise EndlessError


# -- exhaustion --------------------------------------------------------------------------------------------------------
# Whether this process has used up the memory that it may have.


if sys.platform != "win32":
    import resource

MOST = 0.5  # of the limit: what did not fit any more may have been large


def memory_is_exhausted() -> bool:
    """Tell a `MemoryError` for want of memory from one for asking too much at once, while it is being handled."""
    if sys.platform != "linux":
        return False
    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    if limit == resource.RLIM_INFINITY:
        return False
    status = Path("/proc/self/status").read_text("ascii", "replace")
    data = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData:")), 0)
    return data * 1024 > limit * MOST
