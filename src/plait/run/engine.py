"""The scheduler that owns every thread of one execution.

How an execution runs
---------------------
The set-up runs on the main fiber with the hooks quiet. Then each body becomes a virtual thread and is advanced to its
first *point*: an access to something threads can share. A point belongs to the thread that is about to perform it; the
decision who performs the next step is taken right there, inside the running thread, and costs a switch only if another
thread was chosen. ``prefix`` is followed first; behind its end the strategy is asked, or the running thread goes on
while it can (``free``) and the strategy is asked who comes after it. Each step appends one entry to ``trace``::

    (thread, location, mode, site, enabled threads, steps that had to come first)

``enabled threads`` is None for an access that belongs to the step before it: under the GIL model a step is everything
between two moments at which CPython may switch.

The engine is one per process (`ENGINE`), because the hooks in rewritten code must find it in one global look-up.

Here is the hot path: threads, decisions and points. What happens seldom is beside it: the clock and time-outs
(`virtual_time`), threads that wait by looking again and again (`spin`), threads in the set-up (`quiet`), and where a
GIL build may switch (`switch_points`).
"""

from __future__ import annotations

import gc
import logging
from _thread import _local as local
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from plait.errors import PlaitBugError
from plait.run.endings import DEADLOCK, DIVERGED, FINISHED_RUN, HANG, REDUNDANT, Killed
from plait.run.fibers import Fiber, OsFibers, make_fibers
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

MAX_STEPS = 20_000
COLLECT_EVERY = 400  # executions between two garbage collections
LINGER = 1000  # loop iterations and calls that an unwound thread may still make before it is unwound again


class Chooser(Protocol):
    """What the engine asks of a strategy while an execution runs."""

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread that performs the next step, one of ``engine.enabled``.

        Or `STOP` to end the execution here.
        """
        ...


STOP = -2


class Pending(NamedTuple):
    """Where a thread stood when the execution ended without it."""

    thread: int
    loc: int
    mode: int
    site: int
    after: list[int] | None
    enabled: bool
    blocked_on: Any


class Engine:
    """One execution at a time; see the module's docstring."""

    __slots__ = (
        "_bodies", "_fibers", "_fibers_by_backend", "_first", "_new", "_returning", "any_timeouts", "backend",
        "chooser", "current", "enabled", "executions", "fault", "free", "gil", "heap", "held", "leavable", "live",
        "look_at", "main", "max_steps", "modules", "pending", "plen", "prefix", "recorder", "sections", "special",
        "spinning", "status", "step", "thread", "threads", "time", "trace", "uncontrolled",
    )  # fmt: skip

    def __init__(self) -> None:
        self.heap = Heap()
        self.time = VirtualTime(self)
        self.spinning = Spinning(self)
        self.gil = False
        self.any_timeouts = False
        self.backend = "auto"
        self.max_steps = MAX_STEPS
        self.current: VThread | None = None
        self.modules: ModuleState | None = None
        self.recorder: Callable[[Engine, VThread, int, int, int], None] | None = None
        self.leavable = False  # see `leave`
        self.held = False  # somebody looks at the threads: in quiet mode none of them may run instead of another
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
        self.spinning.spinners.clear()
        self.sections: dict[int, VThread] = {}  # who changes a container step by step and keeps its lock, by its root
        self.special = False
        self.status = FINISHED_RUN
        self.live = 0
        self.pending: list[Pending] = []
        self.uncontrolled: str | None = None  # why the execution was left, see `leave`
        self.fault: Exception | None = None  # of the search or the recorder, which must not look like the code's own
        self._returning: VThread | None = None
        self._new: list[VThread] | None = None  # who is still to be started, last first, while the execution begins
        self._bodies = 0
        self._first = 1  # the number of the first body: behind the threads that were started to prepare

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
        """Run ``prepare`` on the main fiber, its bodies as virtual threads, then ``finish``; returns the status.

        Threads, errors and the trace stay readable until the next call. ``finish`` runs with everything still in
        place (the caller's check, or the observation of final state).
        """
        if backend == "auto":
            backend = self.backend
        fibers = getattr(self._fibers_by_backend, backend, None)
        if fibers is None:
            fibers = make_fibers(backend, self._loop)
            setattr(self._fibers_by_backend, backend, fibers)
        self._fibers = fibers
        # A garbage collection in the middle of an execution runs finalisers of the code under test wherever it happens
        # to come: the same schedule would not be the same execution. It comes between executions instead.
        collecting = gc.isenabled()
        if collecting:
            gc.disable()
        # The heap first: it keeps the objects of the last execution alive, so that whoever looks at the trace
        # afterwards still finds names for its locations.
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
            # run), and what unwinding has changed is put back with the rest.
            self._leave_all()
            if self.modules is not None:
                self.modules.restore(self.heap)
            self.executions += 1
            if self.executions % COLLECT_EVERY == 0:
                gc.collect(1)
                if self.executions % (COLLECT_EVERY * 64) == 0:
                    gc.collect()
            if collecting:
                gc.enable()
        return self.status

    def _run(self) -> None:
        main = self.main
        main.enabled = False
        self.enabled = ()
        new = self._new = [each for each in reversed(self.threads) if each.state != FINISHED and each is not main]
        # No strategy is asked before each body stands at its first point: what it does there decides what the choice is
        # between. A search that sees no pending operation of a thread would have to guess whether it races.
        for thread in new:
            if thread.state == NEW:
                thread.fiber = self.take_fiber()
            thread.enabled = False  # what ran in the set-up waits there, or could go on: see `quiet_block`
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
        """Choose who runs when a thread has come to its next point, or must wait, and another waits for that.

        The first threads start one another: each goes on to the next one, the last one to whoever is to run first.
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
        """Return where each thread stands that has not finished."""
        return [
            Pending(thread.id, thread.loc, thread.mode, thread.site, thread.after, thread.enabled, thread.blocked_on)
            for thread in self.threads[1:]
            if thread.state != FINISHED
        ]

    def _leave_all(self) -> None:
        """Unwind whatever is still standing; code that swallows the unwinding is asked again, then abandoned."""
        self.current = None
        standing = [thread for thread in self.threads[1:] if thread.state != FINISHED and thread.fiber is not None]
        if standing:
            self._unwind(standing)
        # What the execution leaves is finalised at any time, in the middle of other code, and may wait for its threads
        # there: none of them may be found that could still run.
        self.enabled = ()
        for thread in self.threads[1:]:
            if thread.state == NEW:  # started while others were unwound
                thread.state = FINISHED

    def _unwind(self, standing: list[VThread]) -> None:
        # A thread is unwound by an exception at its point, so that `with` and `finally` run: locks are given back and
        # files closed, as the next execution expects. The hooks are quiet meanwhile (`current` is None).
        level = logging.root.manager.disable
        logging.disable()  # code that logs whatever ends its threads would speak of our unwinding
        for thread in standing:
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
        self.thread = self.main
        logging.disable(level)

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
        try:
            target = self._finished(thread)
        except Killed:  # while it stood in front of its last step
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
        """Return who runs next after this thread's end; None is the main fiber."""
        if not thread.dying and thread.observed and self.current is not None:
            self.local_step(thread, self.heap.loc_of(thread, "alive"), 1, 0)
        thread.state = FINISHED
        if thread.dying:
            return None
        if not thread.daemon:
            self.live -= 1
        self.disable(thread)
        # Each joiner runs up to its next point right here, so that what it does next is pending before anybody chooses.
        joiners, thread.joiners = thread.joiners, []  # one that goes on takes itself off the list
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
        """Return a thread's number for people: the bodies are counted from one, whatever was started before them."""
        if 0 < number < self._first:
            return number + self._bodies
        return number - self._first + 1 if 0 < number < self._first + self._bodies else number

    @property
    def bodies(self) -> range:
        """The numbers of the threads that bodies run in."""
        return range(self._first, self._first + self._bodies)

    def class_threads(self) -> list[VThread]:
        """Return the threads that the code under test has started, before the bodies or in them."""
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
        """Run a thread that is not at a point (new or just woken) up to its next point, and come back."""
        if thread.fiber is None:
            thread.fiber = self.take_fiber()
        if thread.state == NEW:
            thread.state = READY
        self.enable(thread)
        # What started or woke it happens before all that it does: without this edge a reduction would take the two for
        # a race and look for schedules in which a thread runs before it is started.
        if self.step:
            self.order_after(thread, self.step - 1)
        thread.may_switch = True
        returning, current = self._returning, self.current
        # While `_returning` is set, the first point of the thread (or its end) leads back here, see `_onward`.
        self._returning = starter
        self.special = True
        self.thread = self.current = thread
        thread.fiber.switch()
        self.thread = starter
        if starter.dying:  # the hooks are quiet by now, and must stay so
            raise Killed
        self._returning, self.current = returning, current
        self._settle()

    def _settle(self) -> None:
        """Find out whether a point is more than a decision and an entry in the trace: see `access`."""
        self.special = (
            self.gil
            or self._returning is not None
            or self.recorder is not None
            or len(self.spinning.spinners) > 0
            or len(self.sections) > 0
        )

    def order_after(self, thread: VThread, step: int) -> None:
        """Note that a thread's next step has to come after an earlier step."""
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
            # A new tuple each time: the trace keeps the old one, and strategies may keep it, too. It stays sorted,
            # which makes depth-first search and the first choice of every other one the same on each run.
            before = self.enabled
            both = (*before, thread.id)
            self.enabled = both if not before or before[-1] < thread.id else tuple(sorted(both))

    def disable(self, thread: VThread) -> None:
        """Mark the thread's pending operation as impossible for now."""
        if thread.enabled:
            thread.enabled = False
            self.enabled = tuple([number for number in self.enabled if number != thread.id])  # a list is faster

    def open_section(self, thread: VThread, loc: int) -> None:
        """Let a thread change a container step by step: whoever needs the container's lock must wait."""
        self.sections[loc] = thread
        self.special = True
        # Those that stand before such an operation already must wait as well: they were enabled when they came there.
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
        """Behind the prefix, with a strategy that wants to be asked; ``thread`` is at a point and enabled."""
        # The strategy may look at the pending operation of every thread, so that of the running one is set first.
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
            if self.step > self.max_steps:
                self.status = HANG
                return None
            if self.live == 0:
                return None
            if not self.enabled:
                # Nobody can run. First whoever drives the execution may let another call begin, then time passes, then
                # those that spin look again; only what nothing of this helps is a deadlock.
                if self.time.before_idle is not None:
                    self.time.before_idle()
                    if self.enabled:
                        continue
                if not self.idle():
                    return None
                if self.thread.timed_out and self.thread.mode == LOCAL and self.current is not None:
                    return self.thread  # its wait is over: it goes on to its next point, and is asked there
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
            # A prefix can name a thread that cannot run: the execution has become another one than when it was
            # recorded.
            if number in self.enabled:
                return self.threads[number]
            self.status = REDUNDANT if number == STOP else DIVERGED
            return None

    def idle(self) -> bool:
        """Go on when nothing is enabled: let time pass, or spinning threads try again. False if nothing can happen."""
        if self.time.advance():
            return True
        if self.spinning.retry():
            return True
        # Threads of the class that wait for ever are no deadlock: a worker waits for the next task when all is done.
        bodies = self.threads[self._first : self._first + self._bodies]
        if any(thread.state != FINISHED for thread in bodies) or self._bodies == 0:
            self.status = DEADLOCK
        return False

    def let_time_pass(self) -> None:
        """Let the next time-out fire although something can run; a strategy may ask for it while it chooses."""
        self.idle()

    def stop(self, status: str, thread: VThread) -> None:
        """End the execution from inside a running thread."""
        self.status = status
        self.current = None
        self.thread = self.main
        self._fibers.main.switch()
        # Whoever comes back here is to be unwound (`_leave_all`): nothing else resumes a thread of an ended execution.
        if thread.dying:
            raise Killed
        raise PlaitBugError("a stopped thread was resumed")

    def interrupt(self) -> None:
        """End the execution from a signal handler, whatever its threads wait for outside of it.

        Returns on the main fiber, which waits while OS threads run. They end the execution at their next point; whoever
        asks once more without any step in between takes it that they never come to one: they are left where they are.
        """
        if self.current is None:
            return
        if not self._fibers.is_main():
            self.stop(HANG, self.thread)
        elif self.max_steps >= 0 or self.step != self.look_at:
            self.max_steps, self.look_at = -1, self.step
        else:
            for thread in self.threads:
                thread.fiber = None
            self.status, self.current, self.thread = HANG, None, self.main
            self._fibers_by_backend = local()

    @property
    def on_os_threads(self) -> bool:
        """Whether each virtual thread has an OS thread of its own."""
        return isinstance(self._fibers, OsFibers)

    def leave(self, why: str) -> None:
        """End the execution from inside a running thread: it does something that cannot be controlled as it is run.

        Only where ``leavable`` says that whoever executes knows another way to run it.
        """
        if self.leavable and self.current is not None:
            self.uncontrolled = why
            self.stop(HANG, self.thread)

    def endless(self, thread: VThread, site: int) -> None:
        """End the execution: a thread loops without touching anything that threads share."""
        record_step(self, thread, 0, LOCAL, site)
        self.stop(HANG, thread)

    def linger(self) -> None:
        """Unwind a thread once more, now and then, if it swallowed its unwinding."""
        thread = self.thread
        thread.turns += 1
        if thread.turns % LINGER == 0:
            self._fibers.main.switch()
            raise Killed

    # -- points -------------------------------------------------------------------------------------------------

    def park(self, thread: VThread, number: int, loc: int, mode: int, site: int) -> None:
        """Hand over to another thread while standing in front of an operation; returns when it is this one's turn."""
        thread.loc, thread.mode, thread.site = loc, mode, site
        other = self.threads[number]
        if number not in self.enabled:
            self.stop(DIVERGED, thread)
        self.thread = self.current = other
        other.fiber.switch()
        if thread.dying:
            raise Killed

    def block(self, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Park a thread whose operation cannot be performed now: somebody else must run."""
        thread.loc, thread.mode, thread.site = loc, mode, site
        thread.state = BLOCKED
        thread.waits += not hasattr(thread.blocked_on, "holder")  # to stand before a lock is another matter
        # Disabled before the choice is made, or the strategy could choose it. Whoever makes its operation possible
        # enables it again, and it is back here when it is chosen: the operation is its next step.
        self.disable(thread)
        self._hand_over(thread, self._pick(None) if self._returning is None else self._onward())
        thread.state = READY
        thread.deadline = None

    def arrive(self, thread: VThread, loc: int, mode: int, site: int) -> None:
        """Park a thread that comes to its next point while another one waits for that."""
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
    """Change what the latest entry of the trace does.

    Whether a lock is free, or a key there, is known only when it is the thread's turn: behind the point, when the entry
    is there already.
    """
    entry = ENGINE.trace[-1]
    ENGINE.trace[-1] = (entry[0], entry[1], mode, entry[3], entry[4], entry[5])


def record_step(e: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
    """Enter a step in the trace: it is this thread's turn, and it performs its operation now.

    All steps of threads are entered here, but for those in the common cases that `access`, `at_once`, and `read` and
    `write` (see `plait.run.hooks.access`) write down by themselves: nothing is busier than they are, and a call would
    cost them more than the entry.
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
        # `Engine._decide`, in line: a sampling search is asked here at every step.
        thread.loc, thread.mode, thread.site = loc, mode, site
        try:
            number = e.chooser.choose(e, thread)  # type: ignore[union-attr]
        except Exception as error:
            e.fault, number = error, STOP
        if number != thread.id:
            if number == STOP:
                e.stop(REDUNDANT, thread)
            e.park(thread, number, loc, mode, site)
    # Here it is this thread's turn, perhaps long after it came to the point: what is entered is the moment of the
    # access.
    e.step += 1
    e.trace.append((thread.id, loc, mode, site, e.enabled, thread.after))
    thread.after = None
    if ENGINE.special:  # others may have begun to spin meanwhile
        _performed(e, thread, loc, mode, site)


def also(thread: VThread, loc: int, mode: int, site: int) -> None:
    """Record a further access of the operation whose point was just passed: it happens at the same moment."""
    e = ENGINE
    e.note(thread, loc, mode, site)
    if e.special:
        _performed(e, thread, loc, mode, site)


def _looked(e: Engine, thread: VThread, step: int) -> bool:
    """Look whether the thread spins, every `LOOK_EVERY` steps, a suspect more often. False if so: it must wait."""
    if step % LOOK_EVERY and thread.suspect is None and step <= e.max_steps - LAST_STEPS:
        e.look_at = step + LOOK_EVERY - step % LOOK_EVERY
        return True
    e.spinning.look(thread)
    return thread.enabled


def _special_access(e: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
    """Do `access` under the GIL model, with a recorder, while somebody spins, or before a thread's first point."""
    if e.gil:
        if thread.callers:
            calls_ended(thread)
        if not thread.may_switch:  # CPython cannot switch here: the access belongs to the step that is under way
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
    """Note a call of code that is not rewritten: a GIL build may switch threads when it returns."""
    thread.may_switch = True
    if ENGINE.gil:
        call_began(thread)


def _performed(e: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
    """Perform a step: enable whoever spins on what it writes, and tell the recorder."""
    if e.spinning.spinners and mode != READ:
        e.spinning.release(loc)
    if e.recorder is not None:
        try:
            e.recorder(e, thread, loc, mode, site)
        except Exception as error:
            e.fault = error


def at_once(thread: VThread, loc: int, mode: int, site: int) -> bool:
    """Pass a point in the common case: nobody else is to go first. False: nothing was done."""
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
    """Pass a point whose operation may be impossible now; the caller keeps the thread's enabledness right."""
    e = ENGINE
    if ready:
        if e.gil and not thread.may_switch and mode == ACQUIRE:
            e.note(thread, loc, mode, site)
            return
        thread.may_switch = True
        access(thread, loc, mode, site)
        return
    if e.gil and not thread.may_switch and mode == ACQUIRE:
        e.note(thread, loc, TRY_FAILED, site)  # the step ends here because the lock is busy: it has seen that
    e.block(thread, loc, mode, site)
    record_step(e, thread, loc, mode, site)


__all__ = [
    "DEADLOCK", "DIVERGED", "ENGINE", "FINISHED_RUN", "HANG", "LOCAL", "REDUNDANT", "STOP", "Engine", "Entry", "access",
    "also", "amend_step", "at_once", "blocking", "called_out",
]  # fmt: skip
