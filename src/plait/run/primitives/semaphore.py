"""`threading.Semaphore` and `BoundedSemaphore` under the scheduler: each operation is one step."""

from __future__ import annotations

from collections.abc import Callable

from plait.run.engine import ENGINE, access, blocking
from plait.run.operations import READ, TAKE, WRITE
from plait.run.primitives.kinds import PrimitiveKind, register
from plait.run.primitives.lock import NAN_WAITS, NOWHERE, check_number
from plait.run.primitives.site import here
from plait.run.quiet import quiet_block
from plait.run.vthread import VThread


def _check(timeout: float | None) -> None:
    """Raise what the condition inside of CPython's semaphore raises for a time-out that is no number."""
    if timeout is not None and not NAN_WAITS:
        check_number(timeout)


class Semaphore:
    """`threading.Semaphore`: a counter whose acquisition waits while it is zero."""

    def __init__(self, value: int = 1) -> None:
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self._count = value
        self._waiting: list[VThread] = []

    @property
    def _value(self) -> int:
        thread = ENGINE.current
        if thread is not None:
            access(thread, ENGINE.heap.loc_of(self, "value"), READ, here())
        return self._count

    def __repr__(self) -> str:
        return f"<threading.{type(self).__qualname__} at {NOWHERE}: value={self._value}>"

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Mirror `threading.Semaphore.acquire`."""
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        thread = ENGINE.current
        if thread is None:
            return self._acquire_quietly(blocking, timeout)
        return self._acquire_by(thread, blocking, timeout)

    __enter__ = acquire

    def _acquire_by(self, thread: VThread, blocking_call: bool, timeout: float | None) -> bool:
        e = ENGINE
        loc = e.heap.loc_of(self, "value")
        site = here()
        patient = timeout is None or (timeout > 0 and not e.time.may_end_early(thread))
        if not blocking_call or not patient:
            # A failed attempt is a write, too: CPython takes the semaphore's inner lock to test the counter.
            thread.may_switch = True
            access(thread, loc, WRITE, site)
            if not self._count:
                _check(timeout)
                e.time.tick(thread, timeout or 0.0, site)
                return False
        else:
            if timeout is not None:
                thread.deadline = e.time.now + timeout
            self._waiting.append(thread)
            thread.blocked_on = self
            try:
                blocking(thread, loc, TAKE, site, self._count > 0)
            finally:
                thread.blocked_on = thread.deadline = None
                self._waiting.remove(thread)
            if thread.timed_out:
                thread.timed_out = False
                if not self._count:
                    return False
        self._take()
        thread.may_switch = True
        return True

    def _take(self) -> None:
        # The invariant of locks: a waiting thread is enabled exactly while there is a permit.
        self._count -= 1
        if not self._count:
            for other in self._waiting:
                ENGINE.disable(other)

    def _acquire_quietly(self, blocking_call: bool, timeout: float | None) -> bool:
        thread = ENGINE.thread
        while not self._count:
            _check(timeout)
            if not blocking_call or (timeout is not None and timeout <= 0):
                return False
            if timeout is not None:
                thread.deadline = ENGINE.time.now + timeout
            self._waiting.append(thread)
            try:
                began = quiet_block(ENGINE, thread)
            finally:
                self._waiting.remove(thread)
                left, thread.deadline = ENGINE.time.left(thread), None
            if began:
                return self._acquire_by(thread, True, left)
            if thread.timed_out:
                thread.timed_out = False
                return False
        self._take()
        return True

    def release(self, n: int = 1) -> None:
        """Mirror `threading.Semaphore.release`."""
        if n < 1:
            raise ValueError("n must be one or more")
        thread = ENGINE.current
        if thread is not None:
            thread.may_switch = True
            access(thread, ENGINE.heap.loc_of(self, "value"), WRITE, here())
        self._check(n)
        self._count += n
        for other in self._waiting:
            ENGINE.enable(other)
        ENGINE.thread.may_switch = True  # CPython's `release` releases its inner lock after this

    def _check(self, n: int) -> None:
        """Allow any value: a plain semaphore has no limit."""

    def __exit__(self, *exc: object) -> None:
        self.release()


class BoundedSemaphore(Semaphore):
    """`threading.BoundedSemaphore`: releasing above the initial value is an error."""

    def __init__(self, value: int = 1) -> None:
        super().__init__(value)
        self._initial_value = value

    def __repr__(self) -> str:
        return f"<threading.{type(self).__qualname__} at {NOWHERE}: value={self._value}/{self._initial_value}>"

    def _check(self, n: int) -> None:
        if self._count + n > self._initial_value:
            raise ValueError("Semaphore released too many times")


def _kept(semaphore: Semaphore) -> Callable[[], None]:
    count = semaphore._count

    def put_back() -> None:
        semaphore._count = count
        semaphore._waiting.clear()

    return put_back


_KIND = PrimitiveKind(_kept, lambda semaphore: (semaphore._count,), "a permit of {}")
register(Semaphore, _KIND)
register(BoundedSemaphore, _KIND)
