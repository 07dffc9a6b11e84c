"""An end for code that may have none: what walks through a structure that threads have broken can go round for ever."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class EndlessError(BaseException):
    """Code has used up the time that it was given; no `Exception`, which the code itself might handle."""


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
