"""How executions end, and the exceptions that end a thread, a set-up or an evaluation early."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # without the wrappers that make enumerations of numbers
import sys
import threading
from _thread import get_ident
from pathlib import Path
from typing import Any

FINISHED_RUN, DEADLOCK, HANG, DIVERGED, REDUNDANT = "finished", "deadlock", "hang", "diverged", "redundant"
"""The values of an execution's status."""


class Killed(BaseException):  # no `Exception`, which code under test might handle
    """Raised in a virtual thread to unwind it at the end of an execution."""


RAISED = BaseException
"""The exceptions that are results of a call under test, ``sys.exit`` included. Catch `OWN` before these."""


class SetupBlockedError(RuntimeError):
    """The set-up, or the check, waits for something that no thread will ever do."""

    def __init__(self) -> None:
        super().__init__("blocks for ever before any thread of the test has started")


class HeldError(RuntimeError):
    """An expression was evaluated during an execution and would have to wait for one of its threads."""

    def __init__(self) -> None:
        super().__init__("this would wait for a thread, and all threads are held")


class SetupFailedError(RuntimeError):
    """The set-up raised an exception, unlike when the test was made: something outside of the test has changed."""


# -- patience ----------------------------------------------------------------------------------------------------------
# A time limit for code that may not end: iterating over a structure that threads have broken may loop for ever.


class EndlessError(BaseException):
    """Code has used up its time; a `BaseException`, because the code itself might handle an `Exception`."""


OWN = (Killed, EndlessError)
"""The exceptions that plait itself raises in code under test. They are no results: code that catches `RAISED` re-raises
them.
"""


class patience:  # noqa: N801 - reads as a function; a generator would run under control, and cost ten times as much
    """A context manager that raises `EndlessError` after so many seconds of this process's CPU time.

    It is raised repeatedly, in case the code catches everything. Only the main thread can be interrupted, and only
    between two bytecode instructions: in other threads, or without such timers, there is no limit. With ``parts``, the
    block does several things in turn, each of which has so much time (and up to one part more): call `renew` before the
    next one. (Setting a timer takes longer than most of the things it guards.)
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
        """Restart the time limit for the next thing in the block."""
        self._ticks = 0

    def _interrupt(self, _number: int, _frame: object) -> None:
        self._ticks += 1
        if self._ticks > self._parts:
            raise EndlessError


# -- exhaustion --------------------------------------------------------------------------------------------------------
# Detecting that this process has used up its memory limit.


if sys.platform != "win32":
    import resource

MOST = 0.5  # of the limit: the allocation that failed may have been large


def memory_is_exhausted() -> bool:
    """Return, while handling a `MemoryError`, whether memory is used up (and the request was not simply too large)."""
    if sys.platform != "linux":
        return False
    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    if limit == resource.RLIM_INFINITY:
        return False
    status = Path("/proc/self/status").read_text("ascii", "replace")
    data = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData:")), 0)
    return data * 1024 > limit * MOST
