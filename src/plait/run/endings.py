"""What is raised to end a thread, a set-up or a look at an execution before its time."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


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


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raise `EndlessError` in what takes more than so many seconds of this process's own time.

    It is raised again and again where code catches everything. Only the main thread can be interrupted, and only
    between two steps of the interpreter: elsewhere, and without such timers, patience has no end.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _interrupt(_number: int, _frame: object) -> None:
    raise EndlessError


# -- exhaustion --------------------------------------------------------------------------------------------------------
# Whether this process has used up the memory that it may have.


if sys.platform != "win32":
    import resource

MOST = 0.5  # of the limit: what did not fit any more may have been large


def memory_is_exhausted() -> bool:
    """Tells a `MemoryError` for want of memory from one for asking too much at once, while it is being handled."""
    if sys.platform != "linux":
        return False
    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    if limit == resource.RLIM_INFINITY:
        return False
    status = Path("/proc/self/status").read_text("ascii", "replace")
    data = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData:")), 0)
    return data * 1024 > limit * MOST
