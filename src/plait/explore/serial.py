"""All orders of whole calls: the executions that a sequential specification would allow.

Threads switch only where a call begins (the test bed puts a step there) and where the running thread has to wait. These
executions show what the class does without interference. The rules for calls that wait:

- **A call takes effect as a whole.** While a call can continue, no other thread runs. For most calls that would wait,
  there is another order in which the call they wait for comes first. But calls may complete each other (a barrier, a
  rendezvous, a future), so a call may also begin, wait, and let others begin.
- **A released call continues at once.** As soon as the call that released it has ended, or waits itself, the waiting
  call continues, before any other call begins. A call in between could take what the waiting one was woken for; whether
  the class handles that correctly is what the concurrent executions are to show.
- If several calls are released together, any of them may be the first. Those that continue later are recorded
  (`Serial.overtaken`): `plait.judge.oracle.specification` checks whether the first one has taken what they were woken
  for.
- **Time-outs** follow the rule of the execution: they fire when nothing else can run or, with time-outs at any moment,
  also at once. "Nothing else can run" includes that all calls that could begin would wait. When a time-out fires before
  these calls have begun, it is not known whether they would: such a time-out is recorded (`Serial.hurried`) and checked
  afterwards. A call that times out although it would not have to wait if it started afresh has missed a wake-up: so
  every time-out is recorded (`Serial.lapsed`) and checked, too.
- **Time may pass at any moment** up to the next deadline of a waiting thread. Only code that reads the clock notices
  it, so it is tried where the clock is read, and only with the `instants` that an execution showed: without them time
  stands still.
- A call that sleeps does not wait for another thread, so no other call begins meanwhile. Only a thread that sleeps
  repeatedly (`plait.run.virtual_time.MAX_EARLY`) is treated as polling.
- **Threads of the class** are not calls: they may run between calls. (For runs in the middle of calls see
  `plait.judge.oracle.specification`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from plait.run.engine import STOP, Engine
from plait.run.operations import LOCAL, TICK
from plait.run.spin import last_change
from plait.run.vthread import FINISHED, VThread

_TIME = -1
_MAX_LAPSED = 4  # time-outs in one order that are checked; a thread that polls has many
_MAX_HURRIED = 4  # time-outs in one order that may fire early; more would only prolong polling
_END_OF_TIME = 1e15


class _Overtaken(NamedTuple):
    """A call that was released together with another one, and continued after it.

    ``released`` and ``continued`` are moments (numbers of choices made so far), ``at`` is the length of the trace when
    the call continued, and ``waits`` is how often the thread had waited.
    """

    thread: int
    released: int
    continued: int
    at: int
    waits: int


class _Hurried(NamedTuple):
    """A time-out that fired while calls could begin: the moment, the length of the trace then, the choice's index."""

    moment: int
    at: int
    choice: int


class _Lapse(NamedTuple):
    """Time-outs that fired together: how often time had passed before, the length of the trace, the threads' waits.

    ``threads`` has the number of each thread and how often it had waited.
    """

    idle: int
    at: int
    threads: tuple[tuple[int, int], ...]


class Serial:
    """Depth-first search over the choices where calls begin; see the module docstring.

    With a ``script``, it follows that single order, as returned by `choices`. ``instants`` are the times that the clock
    may show.
    """

    name = "serial"

    def __init__(self, script: Sequence[int] | None = None, instants: Sequence[float] = ()) -> None:
        self.instants = instants
        self.exhausted = False
        self.executions = 0
        self.free = False
        self.overtaken: list[_Overtaken] = []  # of the current execution, as are the following
        self.hurried: list[_Hurried] = []
        self.lapsed: list[_Lapse] = []
        self._only = script is not None
        self._script: list[int] = list(script or ())  # the index of the chosen option at each branching
        self._options: list[int] = []  # the number of options at each branching
        self._moments: list[tuple[int, bool]] = []  # by branching: the length of the trace, whether a call could begin
        self._started = False
        self._begin()

    def _begin(self) -> tuple[()]:
        self._asked = 0
        self._moments = []
        self._moment = 0
        self._released: dict[int, int] = {}
        self._early: dict[int, int] = {}
        self._patient: set[int] = set()  # threads whose wait could have ended early, and did not
        self.overtaken = []
        self.hurried = []
        self.lapsed = []
        self._idles = 0
        return ()

    @property
    def choices(self) -> tuple[int, ...]:
        """The choices of the last execution."""
        return tuple(self._script[: self._asked])

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix (choices are counted at branchings, not steps); None when no order is left."""
        if not self._started:
            self._started = True
            return self._begin()
        while self._script and not self._only:
            position = self._script[-1] + 1
            if position < self._options[-1]:
                self._script[-1] = position
                return self._begin()
            self._script.pop()
            self._options.pop()
        self.exhausted = True
        return None

    def repeat(self) -> None:
        """Make the next execution follow the order of the last one."""
        self._begin()

    def prune(self, choice: int) -> None:
        """Skip all orders that make the same choices as the last one up to and including this choice."""
        del self._script[choice + 1 :]
        del self._options[choice + 1 :]

    def before_polling(self, engine: Engine) -> int:
        """Return the index of the last choice that matters in an order that has just ended in a hang; -1 if none does.

        After the last change calls only read, and see the same whichever runs first. So only choices matter that were
        made before it, and those at which a call could begin.
        """
        changed = last_change(engine.trace)
        for choice in range(self._asked - 1, -1, -1):
            at, begins = self._moments[choice]
            if begins or at <= changed:
                return choice
        return -1

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the running thread inside a call; else a released one; else branch."""
        if current is not None and current.enabled and not begins_call(current):
            if self._may_end_early(current):
                chosen = self._branch(engine, [current.id, *(each for each in engine.enabled if each != current.id)])
                if chosen != current.id:
                    self._patient.add(current.id)
                return chosen
            return current.id
        return self._next(engine)

    def _may_end_early(self, thread: VThread) -> bool:
        """Return whether the thread is at a wait that may end now, with time-outs at any moment."""
        before = self._early.get(thread.id, 0)
        self._early[thread.id] = thread.early
        return thread.early > before and thread.mode != TICK

    def _own(self, engine: Engine) -> range:
        """Return the numbers of the threads that make the test's calls."""
        return engine.bodies

    def _next(self, engine: Engine) -> int:
        threads = engine.threads
        own = self._own(engine)
        waited = [number for number in engine.enabled if number in own and not begins_call(threads[number])]
        forced = [number for number in waited if number not in self._patient or threads[number].notified]
        for number in forced:
            self._released.setdefault(number, self._moment)
        others = [number for number in engine.enabled if number not in own]
        options = [*forced, *others] if forced else list(engine.enabled)
        if not forced and not others and len(self.hurried) < _MAX_HURRIED:
            options += [_TIME] if any(threads[number].deadline is not None for number in own) else []
        chosen = self._branch(engine, options)
        if chosen == _TIME:
            self.hurried.append(_Hurried(self._moment - 1, len(engine.trace), self._asked - 1))
            begun = self.before_idle(engine)
            if begun is not None:
                return begun
            engine.let_time_pass()
            return self._next(engine) if engine.enabled else STOP
        self._patient.discard(chosen)
        if chosen in self._released:
            released = self._released.pop(chosen)
            # A call that has timed out was woken for just that, which no other call can take from it.
            if released < self._moment - 1 and not threads[chosen].timed_out:
                late = _Overtaken(chosen, released, self._moment - 1, len(engine.trace), threads[chosen].waits)
                self.overtaken.append(late)
        return chosen

    def _branch(self, engine: Engine, options: Sequence[int]) -> int:
        self._moment += 1
        if len(options) == 1:
            return options[0]
        begins = any(number not in self._own(engine) or begins_call(engine.threads[number]) for number in options)
        position = self._decide(engine, len(options), begins=begins)
        return options[position] if position < len(options) else STOP

    def _decide(self, engine: Engine, count: int, *, begins: bool) -> int:
        """Return the option to choose at this branching, out of ``count``."""
        index = self._asked
        self._asked += 1
        self._moments.append((len(engine.trace), begins))
        if index == len(self._script):
            self._script.append(0)
        if index == len(self._options):
            self._options.append(count)
        return self._script[index]

    def before_reading(self, engine: Engine) -> None:
        """Let time pass, or not, before the clock is read, but never beyond the next time-out."""
        end = min((each.deadline for each in engine.threads if each.deadline is not None), default=_END_OF_TIME)
        ahead = [instant for instant in self.instants if engine.time.now < instant < end]
        if ahead and (position := self._decide(engine, len(ahead) + 1, begins=True)):
            engine.time.now = ahead[min(position, len(ahead)) - 1]

    def before_idle(self, engine: Engine) -> int | None:
        """Record the time-outs that fire now; return the thread that is to begin before they do, or None."""
        sleepers = [each for each in engine.threads if each.deadline is not None and each.state != FINISHED]
        due = min((each.deadline for each in sleepers if each.deadline is not None), default=None)
        own = self._own(engine)
        fired = tuple(
            (each.id, each.waits) for each in sleepers
            if each.deadline == due and each.id in own and _waits_for_others(each)
        )  # fmt: skip
        self._idles += 1
        if fired and len(self.lapsed) < _MAX_LAPSED:
            self.lapsed.append(_Lapse(self._idles - 1, len(engine.trace), fired))
        return None

    def executed(self, engine: Engine) -> None:
        """Count the execution; the script is complete already."""
        self.executions += 1


class StartedAfresh(Serial):
    """Follows an order up to a moment, then starts one more thread; `waits` says whether that thread had to wait.

    The extra thread is the last one of the test; it takes no part in the order.
    """

    def __init__(self, script: Sequence[int], moment: int, instants: Sequence[float] = ()) -> None:
        super().__init__(script, instants)
        self.waits: bool | None = None  # None: the order could not be followed
        self._target = moment
        self._extra: VThread | None = None

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose as `Serial.choose` does; the extra thread, once started, runs until it ends or waits."""
        extra = self._extra
        if extra is None:
            extra = self._extra = engine.threads[engine.bodies[-1]]
            engine.disable(extra)
        elif self._moment > self._target:
            if current is extra and extra.enabled:
                return extra.id
            self.waits = extra.state != FINISHED
            return STOP
        return super().choose(engine, current)

    def _branch(self, engine: Engine, options: Sequence[int]) -> int:
        if self._moment == self._target:
            assert self._extra is not None
            self._moment += 1
            engine.enable(self._extra)
            return self._extra.id
        return super()._branch(engine, options)


class StartedAtIdle(Serial):
    """Follows an order until time has to pass for the n-th time, then starts one more thread before it does.

    `waits` says whether that thread had to wait. It is the last thread of the test, and takes no part in the order.
    """

    def __init__(self, script: Sequence[int], idle: int, instants: Sequence[float] = ()) -> None:
        super().__init__(script, instants)
        self.waits: bool | None = None  # None: the order could not be followed
        self._target = idle
        self._extra: VThread | None = None
        self._begun = False

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose as `Serial.choose` does; the extra thread, once started, runs until it ends or waits."""
        extra = self._extra
        if extra is None:
            extra = self._extra = engine.threads[engine.bodies[-1]]
            engine.disable(extra)
        elif self._begun:
            if extra.enabled and self.waits is None:
                return extra.id
            self.waits = extra.state != FINISHED
            return STOP
        return super().choose(engine, current)

    def before_idle(self, engine: Engine) -> int | None:
        """Do what `Serial.before_idle` does; start the extra thread, or note that it waits, too."""
        if self._begun:
            self.waits = True
            return None
        super().before_idle(engine)
        if self._idles <= self._target or self._extra is None:
            return None
        self._begun = True
        engine.enable(self._extra)
        return self._extra.id


class WithSpuriousWakeup(Serial):
    """Follows an order to its end; when nothing else can run, the last thread of the test runs.

    That thread takes no part in the order: it has a time-out that fires after all others.
    """

    def __init__(self, script: Sequence[int]) -> None:
        super().__init__(script)
        self._ready = False

    def _own(self, engine: Engine) -> range:
        return engine.bodies[:-1]

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose as `Serial.choose` does."""
        if not self._ready:
            self._ready = True
            extra = engine.threads[engine.bodies[-1]]
            engine.disable(extra)
            extra.deadline = _END_OF_TIME
        return super().choose(engine, current)


def _waits_for_others(thread: VThread) -> bool:
    """Return whether a thread waits for others, except for the end of a thread or the release of a lock."""
    target = thread.blocked_on
    return target is not None and not isinstance(target, VThread) and not hasattr(target, "holder")


def begins_call(thread: VThread) -> bool:
    """Return whether the thread is at the beginning of its next call."""
    return thread.mode == LOCAL and not thread.loc and not thread.site
