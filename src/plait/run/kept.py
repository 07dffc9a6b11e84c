"""Functions of the system as they were before any test could exchange them, for plait's own work beside a test.

Tests forbid calls that block (`socket.recv`, `Lock.acquire`, `os.listdir` in an event loop) by exchanging them, even in
classes written in C. What they put there is code under test: the scheduler and the watchdog's thread must not run it.
"""

from __future__ import annotations

import _thread
import os

acquire, release = _thread.LockType.acquire, _thread.LockType.release
_LIST, _OPEN, _READ, _CLOSE = os.listdir, os.open, os.read, os.close
_PART = 1 << 16  # bytes that are read at once


class Bell:
    """A `threading.Event` that is set once, for a single thread that waits."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        acquire(self._lock)
        self.rung = False

    def ring(self) -> None:
        """Set it."""
        if not self.rung:
            self.rung = True
            release(self._lock)

    def wait(self, seconds: float) -> bool:
        """Return whether it has been set, after so many seconds at the latest."""
        if not self.rung and acquire(self._lock, True, seconds):
            release(self._lock)
        return self.rung


def numbers_in(folder: str) -> list[int]:
    """Return the names in a folder of the kernel that has numbers in it; none if there is no such folder."""
    try:
        return list(map(int, _LIST(folder)))
    except OSError:
        return []


def kernel_text(file: str) -> str:
    """Return the content of a small file of the kernel; raises `OSError`."""
    descriptor = _OPEN(file, os.O_RDONLY | os.O_CLOEXEC)
    parts = []
    try:
        while part := _READ(descriptor, _PART):
            parts.append(part)
        return b"".join(parts).decode("ascii", "replace")
    finally:
        _CLOSE(descriptor)
