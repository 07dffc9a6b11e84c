"""Whether a process waits: all of its threads sleep in the kernel, and none would run if it were given a processor."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

_TASKS = Path("/proc/self/task")
_WAITING = frozenset("ST")  # sleeping until something happens, stopped


def waits(process: int | None = None, *, but: int | None = None) -> bool:
    """Return whether no thread of the process, but the one with the native id ``but``, can run or waits for a disk."""
    folder = _TASKS if process is None else Path(f"/proc/{process}/task")
    states = []
    for task in _numbers(folder):
        if task != but:
            with suppress(OSError):  # it has ended meanwhile
                text = (folder / str(task) / "stat").read_text("ascii", "replace")
                states.append(text.rpartition(")")[2].split()[0])
    return bool(states) and _WAITING.issuperset(states)


def sleeps(thread: int | None) -> bool:
    """Return whether a thread of this process, by its native id, sleeps in the kernel; True where nobody can tell."""
    try:
        text = (_TASKS / str(thread) / "stat").read_text("ascii", "replace")
    except OSError:
        return True
    return text.rpartition(")")[2].split()[0] in _WAITING


def _numbers(folder: Path) -> list[int]:
    with suppress(OSError):
        return [int(name) for name in os.listdir(folder)]  # noqa: PTH208 - no paths, many times a second
    return []


class Idleness:
    """`waits` for this process, seen again and again by one of its threads; elsewhere than on Linux by its CPU time."""

    def __init__(self, own: int) -> None:
        self._own = own
        self._used = time.process_time()
        self._known = bool(_numbers(_TASKS))

    def look(self) -> bool:
        """Return whether nothing but the calling thread has run, or could have, since the last look."""
        if self._known:
            return waits(but=self._own)
        before, self._used = self._used, time.process_time()
        return self._used - before < 0.005
