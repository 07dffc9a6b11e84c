"""Ctrl-C: pressed once, plait finishes, reports and saves; pressed twice, it exits at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import FrameType

_EXIT_CODE = 130
_SHOW_CURSOR = "\x1b[?25h"  # a live display hides the cursor, and cannot restore it then


class Interrupt:
    """A context in which the first interrupt only sets ``requested``; the second one ends the process.

    SIGTERM, which job runners send, counts as an interrupt. Nothing is lost by exiting at once: the store writes in
    transactions, and workers end with this process.
    """

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # other threads cannot handle signals
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_exception: object) -> None:
        while self._before:
            number, handler = self._before.popitem()
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested:
            _say(_SHOW_CURSOR if sys.stderr.isatty() else "")
            os._exit(_EXIT_CODE)
        self.requested = True
        _say("plait: finishing; interrupt again to leave at once\n")


def _say(text: str) -> None:
    """Write to the file descriptor directly: the signal may have interrupted a write to a Python stream."""
    try:
        os.write(2, text.encode())
    except OSError:
        return
