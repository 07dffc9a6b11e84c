"""`fcntl.flock` under the scheduler: threads exclude each other by file locks, and no thread waits in the system.

A lock belongs to an open file, which is identified by its descriptor here. It ends when the file is unlocked or closed,
through `os.close` or the file object. Locks of other processes are not seen. Locked files that an execution leaves open
are closed after it: otherwise descriptors would run out, and have other numbers in the next execution.
"""

from __future__ import annotations

import contextlib
import errno
import os
from dataclasses import dataclass
from typing import Any

from plait.run.endings import SetupBlockedError
from plait.run.engine import ENGINE, access, blocking
from plait.run.operations import TAKE, WRITE
from plait.run.primitives.built_in import built_in
from plait.run.primitives.site import here
from plait.run.vthread import VThread

LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8
_DESCRIPTORS = "/proc/self/fd"


@dataclass(slots=True, eq=False)
class _Opened:
    """An open file that holds a lock or waits for one."""

    number: int
    file: Any  # the object that it was given as, or None
    shared: bool
    closed: bool = False

    @property
    def open(self) -> bool:
        return not self.closed and (self.file is None or not self.file.closed)


class FileLock:
    """The lock of one file."""

    def __init__(self) -> None:
        self._holders: list[_Opened] = []
        self._waiting: list[tuple[VThread, _Opened]] = []

    def acquire(self, wanted: _Opened, *, wait: bool, site: int) -> None:
        """Mirror `fcntl.flock` with LOCK_EX or LOCK_SH."""
        thread = ENGINE.current
        if thread is None:
            if not self._free_for(wanted):
                raise SetupBlockedError if wait else _busy()
        else:
            loc = ENGINE.heap.loc_of(self, "lock")
            thread.may_switch = True
            if wait:
                self._wait(thread, wanted, loc, site)
            else:
                access(thread, loc, WRITE, site)
                if not self._free_for(wanted):
                    raise _busy()
            thread.may_switch = True
        self._drop(wanted.number)
        if wanted.open:  # else it was closed while the thread waited, and needs no lock
            self._holders.append(wanted)
        self.settle()

    def _wait(self, thread: VThread, wanted: _Opened, loc: int, site: int) -> None:
        entry = (thread, wanted)
        self._waiting.append(entry)
        thread.blocked_on = self
        try:
            self._watch(thread, wanted)
            blocking(thread, loc, TAKE, site, self._free_for(wanted))
            while not self._free_for(wanted):
                ENGINE.block(thread, loc, TAKE, site)
        finally:
            thread.blocked_on = thread.spinning = None
            if thread in ENGINE.spinning.spinners:
                ENGINE.spinning.spinners.remove(thread)
            self._waiting.remove(entry)

    def _watch(self, thread: VThread, wanted: _Opened) -> None:
        """Let a waiting thread check again when nothing else can run: closing a file object is not seen."""
        held = not self._free_for(wanted) and any(each.file is not None for each in self._holders)
        if held and thread not in ENGINE.spinning.spinners:
            thread.spinning = frozenset()
            ENGINE.spinning.spinners.append(thread)

    def release(self, number: int, site: int) -> None:
        """Release the lock: it was unlocked, or the file closed."""
        thread = ENGINE.current
        if thread is not None:
            thread.may_switch = True
            access(thread, ENGINE.heap.loc_of(self, "lock"), WRITE, site)
            thread.may_switch = True
        self._drop(number)
        self.settle()

    def close(self, number: int, site: int) -> None:
        """Release the locks of a descriptor that is about to be closed."""
        every = [*self._holders, *(wanted for _, wanted in self._waiting)]
        if any(each.number == number for each in every):
            self.release(number, site)
            for each in every:
                each.closed = each.closed or each.number == number
            self.settle()

    def settle(self) -> None:
        """Enable the waiting threads that could have the lock now, and disable all others."""
        for thread, wanted in self._waiting:
            if self._free_for(wanted):
                ENGINE.enable(thread)
            elif thread is not ENGINE.current:
                ENGINE.disable(thread)
                self._watch(thread, wanted)

    def _free_for(self, wanted: _Opened) -> bool:
        others = [each for each in self._holders if each.open and each.number != wanted.number]
        return all(each.shared for each in others) if wanted.shared else not others

    def _drop(self, number: int) -> None:
        self._holders = [each for each in self._holders if each.number != number and each.open]


def _busy() -> BlockingIOError:
    return BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK))


_locks: dict[tuple[int, int], FileLock] = {}
_before: set[int] = set()  # descriptors that were open before the first of them was locked


@built_in
def flock(file: Any, operation: int, /) -> None:
    """Mirror `fcntl.flock`."""
    if not isinstance(file, int) and not hasattr(file, "fileno"):
        raise TypeError("argument must be an int, or have a fileno() method.")
    number = file if isinstance(file, int) else file.fileno()
    about = os.fstat(number)  # complains about a closed one
    if not _locks:
        _before.update(_open_descriptors() - {number} if not _before else ())
    lock = _locks.setdefault((about.st_dev, about.st_ino), FileLock())
    if operation & LOCK_UN:
        lock.release(number, here())
        return
    wanted = _Opened(number, None if isinstance(file, int) else file, bool(operation & LOCK_SH))
    lock.acquire(wanted, wait=not operation & LOCK_NB, site=here())


def closing(number: Any) -> None:
    """Announce ``os.close(number)``."""
    for lock in _locks.values():
        lock.close(number, here())


def reset_file_locks() -> None:
    """Forget all owners, before the next execution."""
    if not _locks:
        return
    for number in _open_descriptors() - _before:
        with contextlib.suppress(OSError):
            about = os.fstat(number)
            if (about.st_dev, about.st_ino) in _locks:
                os.close(number)
    _locks.clear()


def _open_descriptors() -> set[int]:
    try:
        return set(map(int, os.listdir(_DESCRIPTORS)))  # noqa: PTH208 - called after every execution
    except OSError:
        return set()
