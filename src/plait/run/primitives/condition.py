"""`threading.Condition` under the scheduler.

Terminology
-----------
A thread *waits* from the moment it has released the lock in `wait` until `wait` returns. While it waits, it is
*enabled* or not: the scheduler may choose an enabled thread only. To be *notified* is not to be enabled: a notified
thread still needs the lock, and is enabled while the lock is free.

The steps of a call
-------------------
====================  ==================================================================================================
call                  steps
====================  ==================================================================================================
``wait()``            1. release the lock and join the waiters, at one moment
                      2. take the lock again (`ACQUIRE`)
``wait(timeout)``,    1. as above
 timed out            2. leave the waiters, without the lock
                      3. take the lock
``notify(n)``         one step: the ``n`` longest waiters are notified, in the order in which they came
====================  ==================================================================================================

The states of a waiter
----------------------
A waiter is in exactly one of these states:

=========  =================  ============  ======================================
state      in ``_waiters``    ``notified``  enabled
=========  =================  ============  ======================================
waiting    yes                no            no; or when its time-out may fire
notified   no                 yes           while the lock is free: it must take it
timed out  no                 no            while the lock is free: it must take it
=========  =================  ============  ======================================

Scenarios that this must get right
----------------------------------
**Lost wake-up.** A notification must not fall between the release of the lock and joining the waiters. So both are one
step, and that step writes the queue: a reduction then knows that `notify` does not commute with it.

**Barging.** A notified thread does not get the lock with the notification::

        thread 1            thread 2            thread 3
    1   wait()
    2                       acquire, notify()
    3                       release
    4                                           acquire         thread 1 and 3 were enabled, 3 was chosen
    5                                           changes what thread 1 was notified of, release
    6   takes the lock, and must test its condition again

**Time-out beside a notification.** The time-out of a waiter makes its second step possible; it does not perform it.
Until then the thread is in the queue, and may be notified::

        thread 1            thread 2
    1   wait(1)
    2   (the clock reaches the time-out)
    3                       notify()            thread 1 is still in the queue, and is notified
    4   leaves the queue, finds ``notified``, and returns True

If step 4 comes before step 3, thread 1 returns False, and the notification goes to the next waiter. In CPython, seeing
that the time is over and leaving the queue are two steps, and a notification between them is lost. That window is not
modelled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from plait.run.engine import ENGINE, access, record_step
from plait.run.operations import ACQUIRE, READ, RELEASE, WRITE
from plait.run.primitives.kinds import PrimitiveKind, register
from plait.run.primitives.lock import NAN_WAITS, BaseLock, Lock, RLock, check_number, old_name
from plait.run.primitives.site import here
from plait.run.quiet import quiet_block
from plait.run.vthread import VThread


class Condition:
    """`threading.Condition` over a virtual `Lock` or `RLock`; see the module docstring."""

    def __init__(self, lock: Any = None) -> None:
        self._lock = RLock() if lock is None else lock
        self.acquire = self._lock.acquire
        self.release = self._lock.release
        if sys.version_info >= (3, 14):
            self.locked = self._lock.locked
        self._waiters: list[VThread] = []

    def __enter__(self) -> Any:
        return self._lock.__enter__()

    def __exit__(self, *exc: object) -> Any:
        return self._lock.__exit__(*exc)

    def __repr__(self) -> str:
        thread = ENGINE.current
        if thread is not None:
            access(thread, ENGINE.heap.loc_of(self, "waiters"), READ, here())
        return f"<Condition({self._lock}, {len(self._waiters)})>"

    def _base_lock(self) -> BaseLock:
        lock = self._lock
        if not isinstance(lock, BaseLock):
            raise TypeError(f"plait controls Conditions over Lock and RLock, not over {type(lock).__name__}")
        return lock

    def _is_owned(self) -> bool:
        lock = self._base_lock()
        if isinstance(lock, Lock):
            return lock.holder is not None
        return lock.holder is ENGINE.thread

    def wait(self, timeout: float | None = None) -> bool:
        """Mirror `threading.Condition.wait`."""
        thread = ENGINE.thread
        lock = self._base_lock()
        if not self._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        if timeout is not None:
            _ = timeout > 0  # CPython compares too: an argument that is no number fails while the lock is still held
            if not NAN_WAITS:
                check_number(timeout)
        if ENGINE.current is None:
            return self._wait_quietly(thread, lock, timeout)
        site = here()
        e = ENGINE
        waiters = e.heap.loc_of(self, "waiters")
        # One step releases the lock and joins the waiters (see "Lost wake-up" above). The second entry says that the
        # step also writes the queue.
        access(thread, e.heap.loc_of(lock, "lock"), RELEASE, site)
        e.note(thread, waiters, WRITE, site)
        # An RLock is released however often it was taken, and later taken again as often, as in CPython.
        count = lock.forget_count() if isinstance(lock, RLock) else 0
        lock.give()
        self._waiters.append(thread)
        thread.notified = False
        got = True
        # In the model with time-outs at any moment, this one may fire before anything else happens.
        if timeout is not None and e.time.may_end_early(thread):
            thread.may_switch = True
            access(thread, waiters, WRITE, site)
            if not thread.notified:
                self._waiters.remove(thread)
                e.time.tick(thread, timeout, site)
                got = False
            thread.may_switch = True
            self._lock.acquire()
            if isinstance(lock, RLock):
                lock.restore_count(count)
            return got
        return self._await(thread, lock, count, timeout, site)

    def _await(self, thread: VThread, lock: BaseLock, count: int, timeout: float | None, site: int) -> bool:
        """Block as one of the waiters, then take the lock again; return whether the thread was notified."""
        e = ENGINE
        waiters = e.heap.loc_of(self, "waiters")
        got = True
        if timeout is not None:
            thread.deadline = e.time.now + max(0.0, timeout)
        thread.blocked_on = self
        loc = e.heap.loc_of(lock, "lock")
        try:
            # The pending operation is the re-acquisition of the lock: the next step of this thread depends on the steps
            # of the lock, whichever thread notifies it.
            e.block(thread, loc, ACQUIRE, site)
        finally:
            # Do this also when the thread is unwound: a dead waiter must not receive a notification.
            thread.blocked_on = None
            if thread in lock.waiting:
                lock.waiting.remove(thread)
            if thread.dying and thread in self._waiters:
                self._waiters.remove(thread)
        if thread.timed_out:
            # The step in which it leaves the queue. A `notify` before this step still counts; one after it goes to the
            # next waiter (see "Time-out beside a notification" above).
            thread.timed_out = False
            record_step(e, thread, waiters, WRITE, site)
            if not thread.notified:
                self._waiters.remove(thread)
                got = False
            self._reacquire(thread, lock, site)
        else:
            record_step(e, thread, loc, ACQUIRE, site)
            lock.take(thread)
        if isinstance(lock, RLock):
            lock.restore_count(count)
        thread.may_switch = True
        return got

    @staticmethod
    def _reacquire(thread: VThread, lock: BaseLock, site: int) -> None:
        thread.may_switch = True
        lock.acquire_by(thread, True, -1, site)

    def _wait_quietly(self, thread: VThread, lock: BaseLock, timeout: float | None) -> bool:
        count = lock.forget_count() if isinstance(lock, RLock) else 0
        lock.give()
        self._waiters.append(thread)
        thread.notified = False
        if timeout is not None:
            thread.deadline = ENGINE.time.now + max(0.0, timeout)
        began, left = False, None
        try:
            while not thread.notified and not thread.timed_out and not began:
                began = quiet_block(ENGINE, thread)
        finally:
            left, thread.deadline = ENGINE.time.left(thread), None
            if thread in self._waiters and not began:
                self._waiters.remove(thread)
        if began and not thread.notified:
            return self._await(thread, lock, count, left, here())
        got, thread.timed_out = thread.notified, False
        if began:
            self._reacquire(thread, lock, here())
        else:
            lock.acquire_quietly(True, -1)
        if isinstance(lock, RLock):
            lock.restore_count(count)
        return got

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """Mirror `threading.Condition.wait_for`."""
        end = None if timeout is None else ENGINE.time.now + timeout
        late = False
        result = predicate()
        while not result and not late:
            left = None
            if end is not None:
                left = timeout if ENGINE.any_timeouts else end - ENGINE.time.now
                if left is not None and left <= 0:
                    break
            late = not self.wait(left) and ENGINE.any_timeouts  # in that model, a time-out uses up all of the time
            result = predicate()
        return result

    def notify(self, n: int = 1) -> None:
        """Mirror `threading.Condition.notify`."""
        if not self._is_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        thread = ENGINE.current
        if thread is not None:
            thread.may_switch = True
            access(thread, ENGINE.heap.loc_of(self, "waiters"), WRITE, here())
        woken, self._waiters = self._waiters[:n], self._waiters[n:]
        self._wake(woken, thread)
        ENGINE.thread.may_switch = True

    def _wake(self, woken: Sequence[VThread], thread: VThread | None) -> None:
        lock = self._base_lock()
        for sleeper in woken:
            sleeper.notified = True
            if thread is None:
                sleeper.deadline = None
                ENGINE.enable(sleeper)
                continue
            if sleeper.timed_out or sleeper.enabled:
                continue  # the step that ends its wait is pending, and will see `notified`
            # From here on the sleeper waits for the lock, not for a notification. So its time-out can no longer fire,
            # and it is enabled only when the lock is free: the notifier holds it now.
            sleeper.deadline = None
            ENGINE.order_after(sleeper, ENGINE.step - 1)
            sleeper.blocked_on = lock
            if sleeper.mode == ACQUIRE and not sleeper.enabled:
                lock.waiting.append(sleeper)
                if lock.holder is None:
                    ENGINE.enable(sleeper)

    def _wake_spuriously(self) -> None:
        """Wake all waiters without a notification, whether or not the caller holds the lock."""
        woken, self._waiters = self._waiters, []
        self._wake(woken, ENGINE.current)

    def notify_all(self) -> None:
        """Mirror `threading.Condition.notify_all`."""
        self.notify(len(self._waiters))

    def notifyAll(self) -> None:  # noqa: N802 - the old name that threading still has
        """Do what `notify_all` does, under its old name."""
        old_name("notifyAll() is deprecated, use notify_all() instead")
        self.notify_all()

    def _at_fork_reinit(self) -> None:
        self._lock._at_fork_reinit()
        self._waiters.clear()


register(
    Condition,
    PrimitiveKind(lambda condition: partial(Condition._at_fork_reinit, condition), awaited="a notification of {}"),
)


def wake_spuriously() -> None:
    """Wake all threads that wait for a condition; correct code then tests its condition and waits again."""
    waited_for = [each.blocked_on for each in ENGINE.threads if isinstance(each.blocked_on, Condition)]
    for condition in dict.fromkeys(waited_for):
        condition._wake_spuriously()
