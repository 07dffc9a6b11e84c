"""The scheduler that controls every thread of one execution.

How an execution runs
---------------------
The set-up runs on the main fiber with the hooks quiet. Then each body becomes a virtual thread and is advanced to its
first *point*: the moment before an access to something that threads can share. Which thread performs the next step is
decided at the point, inside the running thread, and costs a switch only if another thread is chosen. The choices in
``prefix`` are followed first. After them, the strategy is asked at each step; or, if ``free``, the running thread
continues while it can, and the strategy is asked only when it cannot. Each step appends one entry to ``trace``::

    (thread, location, mode, site, enabled threads, steps that had to come first)

``enabled threads`` is None for an access that belongs to the step before it: under the GIL model a step is everything
between two moments at which CPython may switch.

There is one engine per process (`ENGINE`), because the hooks in rewritten code must find it in one global look-up.

This module contains the hot path: threads, decisions and points. What is needed less often is in other modules: the
clock and time-outs (`virtual_time`), threads that wait by spinning (`spin`), threads in the set-up (`quiet`), and where
a GIL build may switch (`switch_points`).
"""

from __future__ import annotations

import gc
import logging
from _thread import _local as local
from _thread import get_ident
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from plait.errors import PlaitBugError
from plait.run.endings import DEADLOCK, DIVERGED, FINISHED_RUN, HANG, REDUNDANT, Killed
from plait.run.fibers import OURS, Fiber, OsFibers, make_fibers
from plait.run.heap import Heap
from plait.run.operations import ACQUIRE, KEY_READ, LOCAL, READ, TRY_FAILED
from plait.run.quiet import next_in_quiet
from plait.run.spin import LAST_STEPS, LOOK_EVERY, Spinning
from plait.run.switch_points import call_began, calls_ended
from plait.run.virtual_time import VirtualTime
from plait.run.vthread import BLOCKED, FINISHED, NEW, READY, VThread

if TYPE_CHECKING:
    from plait.run.importing.modulestate import ModuleState

Entry = tuple[int, int, int, int, tuple[int, ...] | None, list[int] | None]

_MAX_STEPS = 20_000
_FOREIGN_THREADS = "code under test runs in threads of code that is not under control"
_COLLECT_EVERY = 400  # executions between two garbage collections
_LINGER = 1000  # loop iterations and calls after which a thread that swallowed its unwinding is unwound again


class Chooser(Protocol):
    """The part of a strategy that the engine calls while an execution runs."""

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread that performs the next step, one of ``engine.enabled``.

        Return `STOP` to end the execution here.
        """
        ...


STOP = -2


class Pending(NamedTuple):
    """The pending operation of a thread that has not finished."""

    thread: int
    loc: int
    mode: int
    site: int
    after: list[int] | None
    enabled: bool
    blocked_on: Any


class Engine:
    """Runs one execution at a time; see the module docstring."""

    __slots__ = (
        "_bodies", "_fibers", "_fibers_by_backend", "_first", "_new", "_returning", "any_timeouts", "backend",
        "chooser", "current", "deserted", "enabled", "executions", "fault", "free", "gil", "guarded", "heap", "held",
        "leavable", "live", "look_at", "main", "max_steps", "modules", "pending", "plen", "prefix", "recorder",
        "sections", "spare_steps", "special", "spinning", "status", "step", "thread", "threads", "time", "trace",
        "uncontrolled",
    )  # fmt: skip

    def __init__(self) -> None:
        self.heap = Heap()
        self.time = VirtualTime(self)
        self.spinning = Spinning(self)
        self.gil = False
        self.any_timeouts = False
        self.backend = "auto"
        self.max_steps = _MAX_STEPS
        self.spare_steps = 0  # that an execution gets behind these if it has not ended, but is at work
        self.current: VThread | None = None
        self.modules: ModuleState | None = None
        self.recorder: Callable[[Engine, VThread, int, int, int], None] | None = None
        self.leavable = False  # see `leave`
        self.deserted = False  # an OS thread was left where it stood: it may still come to a point
        self.guarded = False  # threads that are not under control may run code under test, see `intrude`
        self.held = False  # the threads are being inspected: in quiet mode none may run in place of another
        self._fibers_by_backend: Any = local()  # greenlets belong to the OS thread that made them
        self.executions = 0
        self._reset((), None)

    def _reset(self, prefix: Sequence[int], chooser: Chooser | None) -> None:
        self.main = self.thread = VThread(0, None, "main")
        self.main.state = READY
        self.main.enabled = True
        self.threads: list[VThread] = [self.main]
        self.enabled: tuple[int, ...] = (0,)
        self.trace: list[Entry] = []
        self.step = 0
        self.prefix: Any = prefix
        self.plen = len(prefix)
        self.chooser = chooser
        self.free = chooser is None
        self.time.reset()
        self.look_at = LOOK_EVERY
        self.spinning.reset()
        self.sections: dict[int, VThread] = {}  # by root: the thread that changes this container step by step
        self.special = False
        self.status = FINISHED_RUN
        self.live = 0
        self.pending: list[Pending] = []
        self.uncontrolled: str | None = None  # why the execution was left, see `leave`
        self.fault: Exception | None = None  # raised by the strategy or the recorder, not by code under test
        self._returning: VThread | None = None
        self._new: list[VThread] | None = None  # while the execution begins: the threads still to start, last one first
        self._bodies = 0
        self._first = 1  # the number of the first body; threads that the set-up started have lower numbers

    # -- one execution ------------------------------------------------------------------------------------------

    def execute(
        self,
        prepare: Callable[[], Sequence[Callable[[], object]]],
        prefix: Sequence[int] = (),
        chooser: Chooser | None = None,
        *,
        free: bool = False,
        finish: Callable[[], None] | None = None,
        backend: str = "auto",
    ) -> str:
        """Run ``prepare`` on the main fiber, its bodies as virtual threads, then ``finish``; return the status.

        Threads, errors and the trace can be read until the next call. ``finish`` runs with everything still in place
        (the caller's check, or the observation of the final state).
        """
        # In a copy of the context: what the set-up or the check gives to context variables ends with the execution.
        return copy_context().run(self._execute, prepare, prefix, chooser, free, finish, backend)

    def _execute(
        self, prepare: Callable[[], Sequence[Callable[[], object]]], prefix: Sequence[int], chooser: Chooser | None,
        free: bool, finish: Callable[[], None] | None, backend: str,
    ) -> str:  # fmt: skip
        if backend == "auto":
            backend = self.backend
        fibers = getattr(self._fibers_by_backend, backend, None)
        if fibers is None:
            fibers = make_fibers(backend, self._loop)
            setattr(self._fibers_by_backend, backend, fibers)
        self._fibers = fibers
        # A garbage collection during an execution runs finalisers of the code under test at an arbitrary moment: the
        # same schedule would not be the same execution. So garbage is collected between executions.
        collecting = gc.isenabled()
        if collecting:
            gc.disable()
        # Clear the heap only now: it keeps the objects of the last execution alive, so that the locations of its trace
        # have names until the next execution begins.
        self.heap.clear()
        self._reset(prefix, chooser)
        self.free = free or chooser is None
        try:
            self.main.fiber = fibers.main
            bodies = prepare()
            self._bodies = len(bodies)
            self._first = len(self.threads)
            self.live += len(bodies)
            for number, body in enumerate(bodies, 1):
                self._add(body, f"T{number}")
            self._run()
            if self.fault is not None:
                raise self.fault
            if finish is not None:
                finish()
        finally:
            # In this order: threads are unwound while the modules are still as they left them (their `finally` blocks
            # run), and what unwinding changes is restored with the rest.
            try:
                if isinstance(fibers, OsFibers) and not fibers.at_rest():  # a signal handler has raised an exception
                    self._desert()
                self._leave_all()
            finally:
                if self.modules is not None:
                    self.modules.restore(self.heap)
            self.executions += 1
            if self.executions % _COLLECT_EVERY == 0:
                gc.collect(1)
                if self.executions % (_COLLECT_EVERY * 64) == 0:
                    gc.collect()
            if collecting:
                gc.enable()
        return self.status

    def _run(self) -> None:
        main = self.main
        main.enabled = False
        self.enabled = ()
        new = self._new = [each for each in reversed(self.threads) if each.state != FINISHED and each is not main]
        # The strategy is not asked before each body is at its first point: the pending operations are what it chooses
        # between. A search that does not see the pending operation of a thread would have to guess whether it races.
        for thread in new:
            if thread.state == NEW:
                thread.fiber = self._fibers.take()
            thread.enabled = False  # until `_onward` enables it; a thread of the set-up stands in `quiet_block`
        self._returning = self.current = main
        self.special = True
        chosen = self._onward()
        if chosen is not None:
            self.thread = self.current = chosen
            chosen.fiber.switch()
        self.current = None
        self.thread = main
        if self.live or len(self.threads) > self._bodies + 1:
            self.pending = self.standing()

    def _onward(self) -> VThread | None:
        """Return the thread to run when the advanced thread has reached its next point or must wait.

        That is the thread which advanced it, and waits for that. While the execution begins, the main fiber waits, and
        the threads start one another: each leads to the next one, and the last one to the thread that is chosen first.
        """
        new = self._new
        back, self._returning = self._returning, None
        if new is None or back is not self.main:
            return back
        if not new:
            self._new = None
            self._settle()
            return self._pick(None)
        self._returning = back
        thread = new.pop()
        thread.state = READY
        self.enable(thread)
        if self.step:
            self.order_after(thread, self.step - 1)
        return thread

    def standing(self) -> list[Pending]:
        """Return the pending operation of each thread that has not finished."""
        return [
            Pending(thread.id, thread.loc, thread.mode, thread.site, thread.after, thread.enabled, thread.blocked_on)
            for thread in self.threads[1:]
            if thread.state != FINISHED
        ]

    def _leave_all(self) -> None:
        """Unwind all threads that have not finished; abandon a thread that keeps swallowing the exception."""
        self.current = None
        left = [thread for thread in self.threads[1:] if thread.state != FINISHED]
        if left:
            self._unwind([thread for thread in left if thread.fiber is not None])
            for thread in self.threads[1:]:
                if thread.state == NEW:  # not started yet, or created while others were unwound
                    thread.state = FINISHED
        # What the execution leaves may be finalised later, in the middle of other code, and a finaliser may wait for a
        # thread of the execution. No thread may look as if it could still run.
        self.enabled = ()

    def _unwind(self, standing: list[VThread]) -> None:
        # A thread is unwound by an exception at its point, so that `with` and `finally` run: locks are released and
        # files closed, as the next execution expects. The hooks are quiet meanwhile (`current` is None).
        level = logging.root.manager.disable
        logging.disable()  # code that logs the exceptions which end its threads must not log the unwinding
        try:
            for thread in standing:
                self._unwind_one(thread)
        finally:
            self.thread = self.main
            logging.disable(level)

    def _unwind_one(self, thread: VThread) -> None:
        attempts = 0
        while thread.state != FINISHED and thread.fiber is not None:
            attempts += 1
            if attempts > 5:
                self._fibers.abandon(thread.fiber)
                thread.fiber = None
                break
            thread.dying = True
            self.thread = thread
            thread.fiber.switch()

    def _loop(self, fiber: Fiber) -> None:
        thread = self.thread
        if thread.dying:  # taken, but never started
            thread.state = FINISHED
            self._fibers.give_back(fiber)
            self._fibers.main.switch()
            return
        try:
            assert thread.body is not None
            thread.body()
        except Killed:
            pass
        except BaseException as error:
            thread.error = error
        if getattr(fiber, "deserted", False):
            return
        try:
            target = self._finished(thread)
        except Killed:  # unwound at its last step
            thread.state = FINISHED
            target = None
        self._fibers.give_back(fiber)
        if target is None:
            self._fibers.main.switch()
        else:
            self.thread = target
            if self.current is not None:
                self.current = target
            target.fiber.switch()

    def _finished(self, thread: VThread) -> VThread | None:
        """Record the end of a thread; return the thread to run next, or None for the main fiber."""
        if not thread.dying and thread.observed and self.current is not None:
            self.local_step(thread, self.heap.loc_of(thread, "alive"), 1, 0)
        thread.state = FINISHED
        if thread.dying:
            return None
        if not thread.daemon:
            self.live -= 1
        self.disable(thread)
        # Each joiner is advanced to its next point right here, so that its next operation is pending before a choice is
        # made.
        if thread.joiners:
            joiners, thread.joiners = thread.joiners, []  # a joiner that continues removes itself from the list
            for joiner in joiners:
                self.wake(thread, joiner)
        if self.current is None:
            return next_in_quiet(self)
        return self._pick(None) if self._returning is None else self._onward()

    def take_fiber(self) -> Any:
        """Return a stack for a thread to run on."""
        return self._fibers.take()

    # -- threads ------------------------------------------------------------------------------------------------

    def shown(self, number: int) -> int:
        """Return a thread's number as users see it: bodies count from one, even if the set-up started other threads."""
        if 0 < number < self._first:
            return number + self._bodies
        return number - self._first + 1 if 0 < number < self._first + self._bodies else number

    @property
    def bodies(self) -> range:
        """The numbers of the threads that bodies run in."""
        return range(self._first, self._first + self._bodies)

    def class_threads(self) -> list[VThread]:
        """Return the threads started by the code under test, during the set-up or by the bodies."""
        return self.threads[1 : self._first] + self.threads[self._first + self._bodies :]

    def _add(self, body: Callable[[], object], name: str) -> VThread:
        thread = VThread(len(self.threads), body, name)
        self.threads.append(thread)
        return thread

    def start(self, body: Callable[[], object], name: str, *, daemon: bool, proxy: Any) -> VThread:
        """Start a thread of the code under test; advance it to its first point unless the hooks are quiet."""
        thread = self._add(body, name)
        thread.proxy = proxy
        thread.starter = self.thread.id
        thread.daemon = daemon
        thread.observed = True
        if not daemon:
            self.live += 1
        if self.current is not None:
            self.advance(self.thread, thread)
        return thread

    def advance(self, starter: VThread, thread: VThread) -> None:
        """Run a thread that is not at a point (new or just woken) up to its next point, then return."""
        if thread.fiber is None:
            thread.fiber = self._fibers.take()
        if thread.state == NEW:
            thread.state = READY
        self.enable(thread)
        # What started or woke the thread happens before everything it does. Without this edge a reduction would see a
        # race and look for schedules in which a thread runs before it is started.
        if self.step:
            self.order_after(thread, self.step - 1)
        thread.may_switch = True
        returning, current = self._returning, self.current
        # While `_returning` is set, the thread's next point (or its end) leads back here, see `_onward`.
        self._returning = starter
        self.special = True
        self.thread = self.current = thread
        thread.fiber.switch()
        self.thread = starter
        if starter.dying:  # the hooks are quiet now, and must remain so
            raise Killed
        self._returning, self.current = returning, current
        self._settle()

    def _settle(self) -> None:
        """Set ``special``: whether a point needs more than a decision and a trace entry, see `_special_access`."""
        self.special = bool(
            self.gil
            or self._returning is not None
            or self.recorder is not None
            or self.spinning.spinners
            or self.sections
            or self.guarded
        )

    def order_after(self, thread: VThread, step: int) -> None:
        """Record that a thread's next step has to come after an earlier step."""
        if thread.after is None:
            thread.after = [step]
        else:
            thread.after.append(step)

    def step_of(self, index: int) -> int:
        """Return the number of the step that an entry of the trace belongs to."""
        if len(self.trace) == self.step:
            return index
        return sum(entry[4] is not None for entry in self.trace[: index + 1]) - 1

    def wake(self, waker: VThread, sleeper: VThread) -> None:
        """End the sleeper's wait and advance it to its next operation."""
        sleeper.blocked_on = None
        sleeper.deadline = None
        if self.current is None:
            self.enable(sleeper)
        else:
            self.advance(waker, sleeper)

    def enable(self, thread: VThread) -> None:
        """Mark the thread's pending operation as possible."""
        if not thread.enabled:
            thread.enabled = True
            # A new tuple each time: the trace keeps the old one, and strategies may keep it, too. It is sorted, so that
            # searches that try threads in this order are the same on each run.
            before = self.enabled
            both = (*before, thread.id)
            self.enabled = both if not before or before[-1] < thread.id else tuple(sorted(both))

    def disable(self, thread: VThread) -> None:
        """Mark the thread's pending operation as impossible for now."""
        if thread.enabled:
            thread.enabled = False
            self.enabled = tuple([number for number in self.enabled if number != thread.id])  # a list is faster

    def open_section(self, thread: VThread, loc: int) -> None:
        """Let a thread change a container step by step: others that need the container's lock must wait."""
        self.sections[loc] = thread
        self.special = True
        # Threads that already stand before such an operation must wait as well: they were enabled when they got there.
        for other in self.threads:
            if other.enabled and other is not thread and self._waits_for(other, other.loc, other.mode):
                other.blocked_on = self.sections
                self.disable(other)

    def close_section(self, loc: int) -> None:
        """End the change of a container."""
        del self.sections[loc]
        for other in self.threads:
            if other.blocked_on is self.sections and not self._waits_for(other, other.loc, other.mode):
                other.blocked_on = None
                self.enable(other)
        self._settle()

    def _waits_for(self, thread: VThread, loc: int, mode: int) -> bool:
        """Return whether an operation needs the lock of a container that another thread is changing."""
        holder = self.sections.get(self.heap.roots[loc])
        return not (holder is None or holder is thread or mode == KEY_READ or (mode == READ and thread.loose))

    # -- decisions ----------------------------------------------------------------------------------------------

    def _decide(self, thread: VThread, loc: int, mode: int, site: int) -> int:
        """Ask the strategy after the prefix, and return its choice; ``thread`` is at a point and enabled."""
        # The strategy may look at the pending operation of every thread, so set that of the running thread first.
        thread.loc, thread.mode, thread.site = loc, mode, site
        assert self.chooser is not None
        try:
            number = self.chooser.choose(self, thread)
        except Exception as error:
            self.fault, number = error, STOP
        if number == STOP:
            self.stop(REDUNDANT, thread)
        return number

    def _pick(self, current: VThread | None) -> VThread | None:
        """Return the next thread when the running one cannot go on; None ends the execution."""
        while True:
            if self.step > self.max_steps and not self.spinning.goes_on():
                self.status = HANG
                return None
            if self.live == 0:
                return None
            if not self.enabled:
                # No thread is enabled. First the test bed may let another call begin, then time passes, then spinning
                # threads try again. If none of this helps, the execution has ended or is a deadlock.
                if self.time.before_idle is not None:
                    self.time.before_idle()
                    if self.enabled:
                        continue
                if not self.idle():
                    return None
                if self.thread.timed_out and self.thread.mode == LOCAL and self.current is not None:
                    return self.thread  # it has timed out: it continues to its next point, and the choice is made there
                continue
            if self.step < self.plen:
                number: int = self.prefix[self.step]
            elif self.chooser is None:
                number = self.enabled[0]
            else:
                try:
                    number = self.chooser.choose(self, current)
                except Exception as error:
                    self.fault, number = error, STOP
            # A prefix can name a thread that is not enabled: then this execution differs from the one in which the
            # prefix was recorded.
            if number in self.enabled:
                return self.threads[number]
            self.status = REDUNDANT if number == STOP else DIVERGED
            return None

    def idle(self) -> bool:
        """Continue when nothing is enabled: let time pass, or let spinning threads try again. False if neither can."""
        if self.time.advance():
            return True
        if self.spinning.retry():
            return True
        # A thread of the class that waits for ever is no deadlock: a worker thread waits for its next task.
        bodies = self.threads[self._first : self._first + self._bodies]
        if any(thread.state != FINISHED for thread in bodies) or self._bodies == 0:
            self.status = DEADLOCK
        return False

    def let_time_pass(self) -> None:
        """Let the next time-out fire although a thread can run; a strategy may call this while it chooses."""
        self.idle()

    def stop(self, status: str, thread: VThread) -> None:
        """End the execution from inside a running thread; does not return."""
        self.status = status
        self.current = None
        self.thread = self.main
        self._fibers.main.switch()
        # A thread that is resumed here is to be unwound (`_leave_all`); nothing else resumes threads after the end.
        if thread.dying:
            raise Killed
        raise PlaitBugError("a stopped thread was resumed")

    def interrupt(self) -> None:
        """End the execution from a signal handler, even if a thread waits for something outside of plait's control.

        With OS threads, the handler runs on the main fiber, which waits for them. The running thread then ends the
        execution at its next point. If this is called again and no step was made in between, the thread is assumed
        never to reach a point: it is left where it is, and the others are unwound.
        """
        if self.current is None:
            return
        if not self._fibers.is_main():
            self.stop(HANG, self.thread)
        elif self.max_steps >= 0 or self.step != self.look_at:
            self.max_steps, self.look_at = -1, self.step
        else:
            self._desert()
            self.status = HANG

    def _desert(self) -> None:
        """Go on without the OS thread that runs: whoever waited for it has been interrupted."""
        assert isinstance(self._fibers, OsFibers)
        self.thread.fiber = None
        self._fibers.desert()
        self.deserted = self.guarded = True
        self.current, self.thread = None, self.main
        self._fibers_by_backend = local()

    @property
    def on_os_threads(self) -> bool:
        """True if each virtual thread has its own OS thread."""
        return isinstance(self._fibers, OsFibers)

    def leave(self, why: str) -> None:
        """End the execution from inside a thread that does something which cannot be controlled in this way of running.

        Do so only if ``leavable`` is set: then the caller of `execute` knows another way to run the test.
        """
        if self.leavable and self.current is not None:
            self.uncontrolled = why
            self.stop(HANG, self.thread)

    def guard(self) -> None:
        """Ask at each point from now on which OS thread has come to it: the code under test has started a real one."""
        self.guarded = self.special = True

    def intrude(self) -> bool:
        """Return whether a thread that is not under control has come to a point; the execution is left then.

        It would be taken for the virtual thread that runs now. That one ends the execution at its next point.
        """
        if get_ident() in OURS:
            return False
        if self.current is not None:
            self.max_steps, self.look_at = -1, self.step
            if self.leavable:
                self.uncontrolled = _FOREIGN_THREADS
        return True

    def endless(self, thread: VThread, site: int) -> None:
        """End the execution because a thread loops without touching anything that threads share."""
        record_step(self, thread, 0, LOCAL, site)
        self.stop(HANG, thread)

    def linger(self) -> None:
        """Unwind a thread again, every `_LINGER` calls, if it swallowed its unwinding."""
        thread = self.thread
        thread.turns += 1
        if thread.turns % _LINGER == 0:
            self._fibers.main.switch()
            raise Killed

    # -- points -------------------------------------------------------------------------------------------------

    def park(self, thread: VThread, number: int, loc: int, mode: int, site: int) -> None:
        """Switch to another thread before an operation; return when it is this thread's turn."""
        thread.loc, thread.mode, thread.site = loc, mode, site
        other = self.threads[number]
        if number not in self.enabled:
            self.stop(DIVERGED, thread)
        self.thread = self.current = other
        other.fiber.switch()
        if thread.dying:
            raise Killed

    def block(self, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Park a thread whose operation cannot be performed now, so that another thread must run."""
        if self.guarded and self.intrude():
            raise Killed
        thread.loc, thread.mode, thread.site = loc, mode, site
        thread.state = BLOCKED
        thread.waits += not hasattr(thread.blocked_on, "holder")  # waiting for a lock does not count
        # Disabled before the choice is made, or the strategy could choose it. The thread that makes the operation
        # possible enables it again; when it is chosen, it continues here: the operation is its next step.
        self.disable(thread)
        self._hand_over(thread, self._pick(None) if self._returning is None else self._onward())
        thread.state = READY
        thread.deadline = None

    def arrive(self, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Park an advanced thread that has reached its next point."""
        thread.loc, thread.mode, thread.site = loc, mode, site
        self._hand_over(thread, self._onward())

    def _hand_over(self, thread: VThread, other: VThread | None) -> None:
        if other is thread:
            return
        if other is None:
            self.current = None
            self.thread = self.main
            self._fibers.main.switch()
        else:
            self.thread = self.current = other
            other.fiber.switch()
        if thread.dying:
            raise Killed

    def local_step(self, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Perform a step of a primitive that is always enabled."""
        thread.may_switch = True
        access(thread, loc, mode, site)

    def note(self, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Record a further effect of the step just performed."""
        self.trace.append((thread.id, loc, mode, site, None, None))


ENGINE = Engine()


def amend_step(mode: int) -> None:
    """Change the mode of the latest entry in the trace.

    Whether a lock is free, or a key exists, is known only when it is the thread's turn. That is after the point, when
    the entry has already been written.
    """
    entry = ENGINE.trace[-1]
    ENGINE.trace[-1] = (entry[0], entry[1], mode, entry[3], entry[4], entry[5])


def record_step(e: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
    """Add a step to the trace: it is this thread's turn, and it now performs its operation.

    All steps of threads are recorded here, except in the common cases that `access`, `at_once`, and `read` and `write`
    (in `plait.run.hooks.access`) record themselves: they are the busiest functions, and the call would cost more than
    the entry.
    """
    e.step += 1
    e.trace.append((thread.id, loc, mode, site, e.enabled, thread.after))
    thread.after = None


def access(thread: VThread, loc: int, mode: int, site: int) -> None:
    """Pass a point: return when it is this thread's turn to perform the access that follows."""
    e = ENGINE
    if e.special:
        _special_access(e, thread, loc, mode, site)
        return
    i = e.step
    if i >= e.look_at and not _looked(e, thread, i):
        e.block(thread, loc, mode, site)
    elif i < e.plen:
        number = e.prefix[i]
        if number != thread.id:
            e.park(thread, number, loc, mode, site)
    elif not e.free:
        # `Engine._decide`, inlined: a sampling search is asked here at every step.
        thread.loc, thread.mode, thread.site = loc, mode, site
        try:
            number = e.chooser.choose(e, thread)  # type: ignore[union-attr]
        except Exception as error:
            e.fault, number = error, STOP
        if number != thread.id:
            if number == STOP:
                e.stop(REDUNDANT, thread)
            e.park(thread, number, loc, mode, site)
    # Now it is this thread's turn, perhaps long after it reached the point: the entry records the moment of the access.
    e.step += 1
    e.trace.append((thread.id, loc, mode, site, e.enabled, thread.after))
    thread.after = None
    if ENGINE.special:  # it may have become true while other threads ran
        _performed(e, thread, loc, mode, site)


def also(thread: VThread, loc: int, mode: int, site: int) -> None:
    """Record another access of the operation whose point was just passed; it happens at the same moment."""
    e = ENGINE
    e.note(thread, loc, mode, site)
    if e.special:
        _performed(e, thread, loc, mode, site)


def _looked(e: Engine, thread: VThread, step: int) -> bool:
    """Check for spinning: every `LOOK_EVERY` steps, a suspect more often. Return False if the thread must wait."""
    if step % LOOK_EVERY and thread.suspect is None and step <= e.max_steps - LAST_STEPS:
        e.look_at = step + LOOK_EVERY - step % LOOK_EVERY
        return True
    e.spinning.look(thread)
    return thread.enabled


def _special_access(e: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
    """Do what `access` does under the GIL model, with a recorder, with spinning threads, or for an advanced thread."""
    if e.guarded and e.intrude():
        return
    if e.gil:
        if thread.callers:
            calls_ended(thread)
        if not thread.may_switch:  # CPython cannot switch here: the access belongs to the step in progress
            e.note(thread, loc, mode, site)
            _performed(e, thread, loc, mode, site)
            return
        thread.may_switch = False
    i = e.step
    if i >= e.look_at and not _looked(e, thread, i):
        e.block(thread, loc, mode, site)
    elif e.sections and e._waits_for(thread, loc, mode):
        thread.blocked_on = e.sections
        e.block(thread, loc, mode, site)
    elif e._returning is not None:
        e.arrive(thread, loc, mode, site)
    else:
        if i < e.plen:
            number = e.prefix[i]
        elif e.free:
            number = thread.id
        else:
            number = e._decide(thread, loc, mode, site)
        if number != thread.id:
            e.park(thread, number, loc, mode, site)
    record_step(e, thread, loc, mode, site)
    _performed(e, thread, loc, mode, site)


def called_out(thread: VThread) -> None:
    """Record a call of code that is not rewritten: a GIL build may switch threads when it returns."""
    thread.may_switch = True
    if ENGINE.gil:
        call_began(thread)


def _performed(e: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
    """Enable the threads that spin on what a step writes, and call the recorder."""
    if e.spinning.spinners and mode != READ:
        e.spinning.release(loc)
    if e.recorder is not None:
        try:
            e.recorder(e, thread, loc, mode, site)
        except Exception as error:
            e.fault = error


def at_once(thread: VThread, loc: int, mode: int, site: int) -> bool:
    """Pass a point if this thread is next and nothing special is to be done; else do nothing and return False."""
    e = ENGINE
    i = e.step
    if e.special or i >= e.look_at:
        return False
    if (e.prefix[i] != thread.id) if i < e.plen else (not e.free):
        return False
    e.step = i + 1
    e.trace.append((thread.id, loc, mode, site, e.enabled, thread.after))
    thread.after = None
    return True


def blocking(thread: VThread, loc: int, mode: int, site: int, ready: bool) -> None:
    """Pass a point whose operation may be impossible now; the caller enables and disables the thread."""
    e = ENGINE
    if ready:
        if e.gil and not thread.may_switch and mode == ACQUIRE:
            e.note(thread, loc, mode, site)
            return
        thread.may_switch = True
        access(thread, loc, mode, site)
        return
    if e.gil and not thread.may_switch and mode == ACQUIRE:
        e.note(thread, loc, TRY_FAILED, site)  # the step ends here because the lock is held, which it has seen
    e.block(thread, loc, mode, site)
    record_step(e, thread, loc, mode, site)


__all__ = [
    "DEADLOCK", "DIVERGED", "ENGINE", "FINISHED_RUN", "HANG", "LOCAL", "REDUNDANT", "STOP", "Engine", "Entry", "access",
    "also", "amend_step", "at_once", "blocking", "called_out",
]  # fmt: skip
