"""Locks of `multiprocessing` as scheduling points, where tests may start processes and need the real ones.

The real ones are semaphores of the system. C keeps their owner by OS thread: virtual threads that share one would all
be the owner, and with an OS thread for each, the wait would keep all others from running. So each real semaphore gets a
`ForeignSemaphore` in front of it: a thread stands at a point until the semaphore can be had at once, and the owner is
the virtual thread. The semaphore itself stays the real one, so what other processes do with it counts.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
from _thread import get_ident
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from plait.run.engine import ENGINE
from plait.run.fibers import OURS
from plait.run.foreign_waits import PORTS
from plait.run.primitives.kinds import PrimitiveKind, register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.run.vthread import VThread

_RECURSIVE = 0  # the kind of a `multiprocessing.RLock`


class ForeignSemaphore:
    """A real semaphore of `multiprocessing`, with the virtual threads as its owners; others use the real one."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self._owner: VThread | None = None  # the virtual thread that took it last
        self._taken = 0  # how often virtual threads took it and did not release it

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Mirror `acquire`."""
        if not _in_virtual_thread():
            return bool(self._real.acquire(block, timeout))
        seconds = 0.0 if not block else None if timeout is None else max(timeout, 0.0)
        me = ENGINE.thread
        while PORTS.wait(lambda: self._is_free_for(me), seconds, on=self):
            if self._real.acquire(False):  # else another process was faster
                self._owner = me
                self._taken += 1
                PORTS.settle()
                return True
        return False

    __enter__ = acquire

    def _is_free_for(self, thread: VThread) -> bool:
        if self._real.kind == _RECURSIVE and self._taken > 0:
            return self._owner is thread
        return not self._real._is_zero()

    def release(self) -> None:
        """Mirror `release`."""
        if not _in_virtual_thread():
            self._real.release()
            return
        if self._real.kind == _RECURSIVE and not self._is_mine():
            raise AssertionError("attempt to release recursive lock not owned by thread")
        PORTS.act()
        self._real.release()
        self._taken -= 1
        PORTS.settle()

    def __exit__(self, *_error: object) -> None:
        self.release()

    def _is_mine(self) -> bool:
        if not _in_virtual_thread():
            return bool(self._real._is_mine())
        return self._taken > 0 and self._owner is ENGINE.thread

    def _count(self) -> int:
        return self._taken if _in_virtual_thread() else int(self._real._count())

    def keep(self) -> Callable[[], None]:
        """Return what puts the semaphore back: an execution may leave it taken, or released too often."""
        owner, count = self._owner, self._taken

        def restore() -> None:
            with contextlib.suppress(AssertionError, ValueError):  # what the system does not take back stays
                while self._taken > count:
                    self._real.release()
                    self._taken -= 1
                while self._taken < count and self._real.acquire(False):
                    self._taken += 1
            self._owner, self._taken = owner, count

        return restore


register(ForeignSemaphore, PrimitiveKind(ForeignSemaphore.keep, awaited="a lock of multiprocessing"))


def _in_virtual_thread() -> bool:
    return ENGINE.thread.id > 0 and get_ident() in OURS


@contextmanager
def virtual_process_locks() -> Iterator[None]:
    """Put a `ForeignSemaphore` in front of every lock that `multiprocessing` has made, or makes before the block ends.

    They stay there: outside of virtual threads they hand everything on.
    """
    try:
        module: Any = importlib.import_module("multiprocessing.synchronize")
    except ImportError:  # a system without semaphores
        yield
        return
    kind = module.SemLock
    make = kind._make_methods

    def make_methods(self: Any) -> None:
        if type(self._semlock) is not ForeignSemaphore:
            self._semlock = ForeignSemaphore(self._semlock)
        make(self)

    for each in _instances(kind):
        if "_semlock" in vars(each):
            make_methods(each)
    kind._make_methods = make_methods
    try:
        yield
    finally:
        kind._make_methods = make


def _instances(kind: type) -> list[Any]:
    """Return the instances of a class and of those derived from it; an instance refers to its class."""
    kinds: list[type] = [kind]
    for each in kinds:
        kinds += each.__subclasses__()
    return [each for each in gc.get_referrers(*kinds) if isinstance(each, kind)]
