"""The ways in which a worker can fail. Only `WorkerFailed` is a fault of plait."""

from __future__ import annotations

import re
import signal
import sysconfig
from pathlib import Path
from typing import Any

import plait

_PLAIT = str(Path(plait.__file__).resolve().parent)
_STANDARD = sysconfig.get_path("stdlib")
_FRAME = re.compile(r'^  File "(.+)", line (\d+) in (.+)$', re.MULTILINE)


class WorkerError(Exception):
    """A worker gave no answer.

    ``output`` is the end of the output of the code under test, ``trace`` the stack that the interpreter wrote at the
    end (innermost frame first), ``note`` the task's description of what it was doing, ``stopped`` the acts that the
    guard had stopped.
    """

    def __init__(
        self, reason: str, *, output: str = "", trace: str = "", note: dict[str, Any] | None = None,
        stopped: tuple[dict[str, str], ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(reason)
        self.reason = reason
        self.output = output
        self.trace = trace
        self.note = note if _is_note(note) else None
        self.stopped = stopped

    @property
    def where(self) -> str:
        """The innermost place of code under test in the last stack, as ``file:line in function``; empty if unknown."""
        for file, line, function in _FRAME.findall(self.trace):
            library = file.startswith(_STANDARD) and "site-packages" not in file
            if not library and not file.startswith((_PLAIT, "<frozen")):
                return f"{Path(file).name}:{line} in {function}"
        return ""


def _is_note(note: dict[str, Any] | None) -> bool:
    """Return whether a note has the form of `plait.model.test.Test.as_lines`; code under test may forge notes."""
    note = note or {}
    suffixes = note.get("suffixes", [])
    rows = [note.get("prefix", []), note.get("methods", []), *(suffixes if isinstance(suffixes, list) else [None])]
    return all(isinstance(row, list) and all(isinstance(line, str) for line in row) for row in rows)


class WorkerCrashed(WorkerError):  # noqa: N818 - said as it is
    """The worker's process ended: by itself (``exit_code``), by a signal (its number), or for lack of memory.

    ``outside`` means that another process probably killed it, so that the code under test is not to blame.
    """

    def __init__(
        self, reason: str, *, exit_code: int | None = None, signal: int | None = None, outside: bool = False,
        **rest: Any,
    ) -> None:  # fmt: skip
        super().__init__(reason, **rest)
        self.exit_code = exit_code
        self.signal = signal
        self.outside = outside


class WorkerHung(WorkerError):  # noqa: N818 - said as it is
    """The worker had no answer after ``seconds`` and was killed.

    ``waits`` means that it waited for something outside of the process and was not busy; ``loading``, that it was still
    importing the subject.
    """

    def __init__(self, seconds: float, *, waits: bool = False, loading: bool = False, **rest: Any) -> None:
        super().__init__(f"no answer after {seconds:g} s", **rest)
        self.seconds = seconds
        self.waits = waits
        self.loading = loading


class WorkerFailed(WorkerError):  # noqa: N818 - said as it is
    """The task ended with an error of plait's own; the worker lives."""


def signal_name(number: int) -> str:
    """Return the name of a signal: ``SIGSEGV`` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
