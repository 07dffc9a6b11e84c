"""Find out whether a process waits: all of its threads sleep in the kernel, so none would run on a free processor."""

from __future__ import annotations

import time
from contextlib import suppress

from plait.run.kept import kernel_text, numbers_in

_TASKS = "/proc/self/task"
_WAITING = frozenset("ST")  # sleeping until something happens, stopped


def waits(process: int | None = None, *, but: int | None = None) -> bool:
    """Return whether all threads of a process sleep, except the one with the native id ``but``; none uses a disk."""
    folder = _TASKS if process is None else f"/proc/{process}/task"
    states = []
    for task in numbers_in(folder):
        if task != but:
            with suppress(OSError):  # the thread has ended meanwhile
                states.append(_state(f"{folder}/{task}/stat"))
    return bool(states) and _WAITING.issuperset(states)


def sleeps(thread: int | None) -> bool:
    """Return whether a thread of this process, by its native id, sleeps in the kernel; True if that is not known."""
    try:
        return _state(f"{_TASKS}/{thread}/stat") in _WAITING
    except OSError:
        return True


def _state(file: str) -> str:
    return kernel_text(file).rpartition(")")[2].split()[0]


class Idleness:
    """Repeats `waits` for this process in one of its threads; on systems other than Linux by CPU time."""

    def __init__(self, own: int) -> None:
        self._own = own
        self._used = time.process_time()
        self._known = bool(numbers_in(_TASKS))

    def look(self) -> bool:
        """Return whether only the calling thread has run, or could have run, since the last call."""
        if self._known:
            return waits(but=self._own)
        before, self._used = self._used, time.process_time()
        return self._used - before < 0.005
