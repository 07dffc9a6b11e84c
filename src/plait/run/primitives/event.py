"""Event: once signalled, a waiter returns even if the flag is cleared again before it runs, as in CPython."""

from __future__ import annotations

from collections.abc import Callable

from plait.run.engine import ENGINE, access
from plait.run.operations import LOCAL, READ, WRITE
from plait.run.primitives.kinds import PrimitiveKind, register
from plait.run.primitives.lock import NAN_WAITS, NOWHERE, check_number, old_name
from plait.run.primitives.site import here
from plait.run.quiet import quiet_block
from plait.run.vthread import VThread


class Event:
    """`threading.Event`."""

    def __init__(self) -> None:
        self._on = False
        self._waiters: list[VThread] = []

    def __repr__(self) -> str:
        status = "set" if self.is_set() else "unset"
        return f"<threading.{type(self).__qualname__} at {NOWHERE}: {status}>"

    def _point(self, mode: int) -> None:
        thread = ENGINE.current
        if thread is not None:
            thread.may_switch = True
            access(thread, ENGINE.heap.loc_of(self, "flag"), mode, here())

    @property
    def _flag(self) -> bool:
        return self.is_set()

    def is_set(self) -> bool:
        """Mirror `threading.Event.is_set`."""
        self._point(READ)
        return self._on

    def isSet(self) -> bool:  # noqa: N802 - the old name that threading still has
        """Mirror `threading.Event.isSet`, the old name of `is_set`."""
        old_name("isSet() is deprecated, use is_set() instead")
        self._point(READ)
        return self._on

    def set(self) -> None:
        """Mirror `threading.Event.set`."""
        self._point(WRITE)
        self._on = True
        # All threads that wait now return from `wait`, even if `clear` comes before they run. This is so in CPython,
        # where `set` releases a lock of each waiter.
        woken, self._waiters = self._waiters, []
        for sleeper in woken:
            sleeper.notified = True
            if not sleeper.enabled:  # an enabled one is already at the step that ends its wait, see `_late`
                ENGINE.wake(ENGINE.thread, sleeper)
        ENGINE.thread.may_switch = True  # CPython's `set` releases its inner lock after this

    def clear(self) -> None:
        """Mirror `threading.Event.clear`."""
        self._point(WRITE)
        self._on = False
        ENGINE.thread.may_switch = True

    def wait(self, timeout: float | None = None) -> bool:
        """Mirror `threading.Event.wait`."""
        signalled = self._wait(timeout)
        ENGINE.thread.may_switch = True
        return signalled

    def _wait(self, timeout: float | None) -> bool:
        self._point(READ)
        if self._on:
            return True
        if timeout is not None and not NAN_WAITS:
            check_number(timeout)
        e = ENGINE
        thread = e.thread
        thread.notified = False
        quiet = e.current is None
        if timeout is not None and (not timeout > 0 or (not quiet and e.time.may_end_early(thread))):
            if timeout > 0:  # the model with time-outs at any moment
                self._waiters.append(thread)
                self._late(thread, timeout)
            return thread.notified
        if timeout is not None:
            thread.deadline = e.time.now + timeout
        self._waiters.append(thread)
        thread.blocked_on = self
        try:
            if quiet:
                quiet = not quiet_block(e, thread)
            # `LOCAL`: to be woken is no access. The step of `set` that wakes it is ordered before its next step.
            if not quiet and not thread.notified:
                e.block(thread, 0, LOCAL, here())
        finally:
            thread.blocked_on = None
            thread.deadline = None
            if thread in self._waiters:
                self._waiters.remove(thread)
        if thread.timed_out:
            thread.timed_out = False
            if not quiet:
                self._point(WRITE)
        return thread.notified or self._on

    def _late(self, thread: VThread, timeout: float) -> None:
        """End a wait by its time-out (in the model with time-outs at any moment), in a step that races with `set`."""
        access(thread, ENGINE.heap.loc_of(self, "flag"), READ, here())
        if not thread.notified:
            self._waiters.remove(thread)
            ENGINE.time.tick(thread, timeout, here())

    def _at_fork_reinit(self) -> None:
        self._waiters.clear()


def _kept(event: Event) -> Callable[[], None]:
    on = event._on

    def put_back() -> None:
        event._on = on
        event._waiters.clear()

    return put_back


register(Event, PrimitiveKind(_kept, lambda event: (event._on,), "the event {}"))
