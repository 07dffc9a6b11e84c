"""Lock and RLock under the scheduler.

| operation                    | step          | enabled                                       |
| acquire                      | `ACQUIRE`     | while the lock is free                        |
| acquire, not blocking        | `TRY`, or `TRY_FAILED` if the lock is held | always           |
| acquire with a time-out      | as acquire    | also when the clock has come to the time-out; then as not blocking |
| release                      | `RELEASE`, or `HAND_OVER` by another thread | always          |
| locked                       | `READ`, or `TRY_FAILED` if the lock is held | always          |

To wait for the lock is no step: the thread stands before its acquisition until the lock is free. So an execution has
one step per acquisition, and two schedules do not differ only in how long a thread waited.

A failed attempt depends on the acquisition before it and on the release after it. But two failed attempts commute,
which two acquisitions do not. So a failed attempt has a mode of its own.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from plait.run.engine import ENGINE, access, amend_step, at_once, blocking
from plait.run.operations import ACQUIRE, HAND_OVER, READ, RELEASE, TRY, TRY_FAILED
from plait.run.primitives.built_in import built_in
from plait.run.primitives.kinds import PrimitiveKind, register
from plait.run.primitives.site import here
from plait.run.quiet import quiet_block
from plait.run.vthread import VThread

_TIMEOUT_MAX = 9223372036.0
NOWHERE = "0x7f0000000000"  # an address that is the same in every execution


NAN_WAITS = sys.version_info < (3, 14)
"""True if a condition, and what is made of it, waits for a time that is no number at all."""


def check_number(timeout: float) -> None:
    """Raise what the C code raises for a time-out that is no number."""
    if timeout != timeout:  # noqa: PLR0124 - only NaN is not equal to itself
        raise ValueError("Invalid value NaN (not a number)")


def old_name(message: str) -> None:
    """Emit the deprecation warning of a method's old name."""
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def check_timeout(blocking_call: bool, timeout: float) -> None:
    """Raise the argument errors that `_thread` raises."""
    check_number(timeout)
    if not blocking_call and timeout != -1:
        raise ValueError("can't specify a timeout for a non-blocking call")
    if timeout < 0 and timeout != -1:
        raise ValueError("timeout value must be a non-negative number")
    if timeout > _TIMEOUT_MAX:
        raise OverflowError("timeout value is too large")


class BaseLock:
    """The part that Lock and RLock share: the owner, and the threads whose next step is to take the lock.

    Invariant: a thread in ``waiting`` is enabled exactly while the lock is free, or when its time-out has fired.
    `take` and `give` maintain it, so the engine never has to ask. When the lock becomes free, all waiting threads are
    enabled, and any of them, or a thread that arrives then, may take it: CPython's locks are not fair either.
    """

    __slots__ = ("__weakref__", "holder", "made", "maker", "waiting")

    def __init__(self) -> None:
        self.maker = ENGINE.current  # None: the set-up
        self.made = len(ENGINE.trace)  # the length of the trace then
        self.holder: VThread | None = None
        self.waiting: list[VThread] = []

    def acquire_by(self, thread: VThread, blocking_call: bool, timeout: float, site: int) -> bool:
        """Take the lock for a controlled thread, waiting for it if need be; return whether the thread got it."""
        e = ENGINE
        loc = e.heap.loc_of(self, "lock")
        if not blocking_call or timeout == 0:
            access(thread, loc, TRY, site)  # `_try` amends the mode: success is known only after the point
            return self._try(thread)
        if timeout > 0 and e.time.may_end_early(thread):
            access(thread, loc, TRY, site)
            got = self._try(thread)
            if not got:
                e.time.tick(thread, timeout, site)
            return got
        # The common case first: the lock is free and the schedule does not switch here. Then the thread need not be
        # registered as waiting.
        if self.holder is None and at_once(thread, loc, ACQUIRE, site):
            self.take(thread)
            thread.may_switch = True
            return True
        if timeout > 0:
            thread.deadline = e.time.now + timeout
        self.waiting.append(thread)
        thread.blocked_on = self
        try:
            blocking(thread, loc, ACQUIRE, site, self.holder is None)
        finally:
            thread.blocked_on = thread.deadline = None
            self.waiting.remove(thread)
        if thread.timed_out:
            # The time-out has enabled the thread, not a release, so this step is an attempt that may fail. It succeeds
            # if the lock became free between the time-out and this thread's turn, as `sem_timedwait` may.
            thread.timed_out = False
            if self.holder is not None:
                amend_step(TRY_FAILED)
                return False
            amend_step(TRY)
        self.take(thread)
        thread.may_switch = True
        return True

    def _try(self, thread: VThread) -> bool:
        if self.holder is not None:
            amend_step(TRY_FAILED)
            thread.may_switch = True
            return False
        self.take(thread)
        thread.may_switch = True
        return True

    def _look(self, thread: VThread, site: int) -> None:
        """Perform the step of `locked`."""
        access(thread, ENGINE.heap.loc_of(self, "lock"), READ, site)
        if self.holder is not None:
            amend_step(TRY_FAILED)
        thread.may_switch = True

    def take(self, thread: VThread) -> None:
        """Make a thread the owner, and disable all others that wait."""
        self.holder = thread
        for other in self.waiting:
            if other is not thread:
                ENGINE.disable(other)

    def give(self) -> None:
        """Free the lock, and enable all threads that wait for it."""
        self.holder = None
        for other in self.waiting:
            ENGINE.enable(other)

    def acquire_quietly(self, blocking_call: bool, timeout: float) -> bool:
        """Take the lock while the hooks are quiet (in the set-up); return whether the thread got it."""
        thread = ENGINE.thread
        while self.holder is not None:
            if not blocking_call or timeout == 0:
                return False
            if timeout > 0:
                thread.deadline = ENGINE.time.now + timeout
            self.waiting.append(thread)
            try:
                began = quiet_block(ENGINE, thread)
            finally:
                self.waiting.remove(thread)
                left, thread.deadline = ENGINE.time.left(thread), None
            if began:
                return self.acquire_by(thread, True, -1 if left is None else left, here())
            if thread.timed_out:
                thread.timed_out = False
                return False
        self.take(thread)
        return True


class Lock(BaseLock):
    """`threading.Lock`: not re-entrant, any thread may release it."""

    __slots__ = ()

    def __init_subclass__(cls, *, mirrored: bool = False) -> None:
        if not mirrored:  # plait itself derives the locks of `multiprocessing` from this class
            raise TypeError("type '_thread.lock' is not an acceptable base type")

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Mirror `threading.Lock.acquire`."""
        check_timeout(blocking, timeout)
        thread = ENGINE.current
        if thread is None:
            return self.acquire_quietly(blocking, timeout)
        return self.acquire_by(thread, blocking, timeout, here())

    def release(self) -> None:
        """Mirror `threading.Lock.release`."""
        thread = ENGINE.current
        if thread is None:
            self._release_quietly()
        else:
            self._release_by(thread, here())

    def _release_quietly(self) -> None:
        if ENGINE.thread.dying:
            return
        if self.holder is None:
            raise RuntimeError("release unlocked lock")
        self.give()

    def _release_by(self, thread: VThread, site: int) -> None:
        access(thread, ENGINE.heap.loc_of(self, "lock"), RELEASE, site)
        thread.may_switch = True
        if self.holder is None:
            amend_step(READ)
            raise RuntimeError("release unlocked lock")
        if self.holder is not thread:  # unlike the holder's own release, it is not ordered after the acquisition
            amend_step(HAND_OVER)
        self.give()

    def locked(self) -> bool:
        """Mirror `threading.Lock.locked`."""
        thread = ENGINE.current
        if thread is not None:
            self._look(thread, here())
        return self.holder is not None

    def __enter__(self) -> bool:
        thread = ENGINE.current
        if thread is None:
            return self.acquire_quietly(True, -1)
        return self.acquire_by(thread, True, -1, here())

    def __exit__(self, *exc: object) -> None:
        thread = ENGINE.current
        if thread is None:
            self._release_quietly()
        else:
            self._release_by(thread, here())

    acquire_lock = acquire
    release_lock = release
    locked_lock = locked

    def _at_fork_reinit(self) -> None:
        self.holder = None
        self.waiting.clear()

    def __repr__(self) -> str:
        state = "locked" if self.locked() else "unlocked"
        return f"<{state} _thread.lock object at {NOWHERE}>"


class RLock(BaseLock):
    """`threading.RLock`: the owner may take it again; only the owner may release it."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Mirror `threading.RLock.acquire`."""
        check_timeout(blocking, timeout)
        thread = ENGINE.current
        # To take it again is no step: no other thread can see the count while the lock is held, so all orders are
        # alike.
        if self.holder is ENGINE.thread:
            self.count += 1
            if thread is not None:
                thread.may_switch = True
            return True
        got = (
            self.acquire_quietly(blocking, timeout)
            if thread is None
            else self.acquire_by(thread, blocking, timeout, here())
        )
        if got:
            self.count = 1
        return got

    def release(self) -> None:
        """Mirror `threading.RLock.release`."""
        thread = ENGINE.current
        if self.holder is not ENGINE.thread:
            if ENGINE.thread.dying:
                return
            raise RuntimeError("cannot release un-acquired lock")
        if self.count > 1:
            self.count -= 1
            if thread is not None:
                thread.may_switch = True
            return
        if thread is None:
            self.count = 0
            self.give()
            return
        self._release_by(thread, here())

    def _release_by(self, thread: VThread, site: int) -> None:
        access(thread, ENGINE.heap.loc_of(self, "lock"), RELEASE, site)
        self.count = 0
        self.give()
        thread.may_switch = True

    def locked(self) -> bool:
        """Mirror `threading.RLock.locked`, which came with 3.14."""
        thread = ENGINE.current
        if thread is not None and self.holder is not thread:  # nobody takes it from its owner
            self._look(thread, here())
        return self.holder is not None

    def __enter__(self) -> bool:
        thread = ENGINE.current
        if thread is None or self.holder is thread:
            return self.acquire()
        self.acquire_by(thread, True, -1, here())
        self.count = 1
        return True

    def __exit__(self, *exc: object) -> None:
        thread = ENGINE.current
        if thread is None or self.holder is not thread or self.count > 1:
            self.release()
        else:
            self._release_by(thread, here())

    def _is_owned(self) -> bool:
        return self.holder is ENGINE.thread

    def forget_count(self) -> int:
        """Reset how often the owner has taken the lock, and return it: `Condition.wait` releases it completely."""
        count, self.count = self.count, 0
        return count

    def restore_count(self, count: int) -> None:
        """Restore the count that `forget_count` returned, after the owner has taken the lock again."""
        self.count = count

    def _release_save(self) -> tuple[int, int]:
        if self.holder is not ENGINE.thread:
            raise RuntimeError("cannot release un-acquired lock")
        count, self.count = self.count, 1
        self.release()
        return count, 0

    def _acquire_restore(self, state: tuple[int, int]) -> None:
        self.acquire()
        self.count = state[0]

    def _recursion_count(self) -> int:
        return self.count if self.holder is ENGINE.thread else 0

    def _at_fork_reinit(self) -> None:
        self.holder = None
        self.count = 0
        self.waiting.clear()

    def __repr__(self) -> str:
        thread = ENGINE.current
        if thread is not None and self.holder is not thread:
            self._look(thread, here())
        state = "locked" if self.holder is not None else "unlocked"
        owner = self.holder.id if self.holder is not None else 0
        return f"<{state} _thread.RLock object owner={owner} count={self.count} at {NOWHERE}>"


if sys.version_info < (3, 14):
    del RLock.locked
for _each in (Lock, RLock):
    _each.__module__ = "_thread"  # as the real ones say; trio asserts that its lock is none of Python code


def _kept(lock: Lock) -> Callable[[], None]:
    holder = lock.holder

    def put_back() -> None:
        lock.holder = holder
        lock.waiting.clear()

    return put_back


def _held(lock: BaseLock) -> tuple[str]:
    return ("held" if lock.holder is not None else "free",)


register(Lock, PrimitiveKind(_kept, _held, "the lock {}"))
register(RLock, PrimitiveKind(lambda lock: partial(RLock._at_fork_reinit, lock), _held, "the lock {}"))


@built_in
def allocate_lock() -> Any:
    """Mirror `_thread.allocate_lock`."""
    return Lock()
