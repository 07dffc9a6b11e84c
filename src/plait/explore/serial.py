"""All orders of whole calls: the executions that a sequential specification would allow.

Threads switch only where a call begins (the test bed puts a step there) and where the running one has to wait. What
these executions show is what the class does without interference. The rules for calls that wait:

- **A call takes effect as a whole.** While a call can go on, nobody else does. A call that would wait is no reason to
  stop: there is another order that puts the call it waits for first. But calls may complete each other (a barrier, a
  rendezvous, a future), so a call may also begin, wait, and let others begin.
- **What is released goes on at once.** As soon as the call that released it has come to its end, or waits itself, a
  waiting call continues, before any other call begins. Whoever comes in between steals what the waiting call was woken
  for, and that a class does the right thing then is what its executions are to show.
- Of several calls that are released together each may be the first. Those that come later are noted
  (`Serial.overtaken`): `plait.judge.oracle.specification` asks whether the first one has taken what they were woken
  for.
- **Time-outs** follow the rule of the execution: they fire when nothing else can run or, with time-outs at any moment,
  also at once. Nothing else can run, too, if all the calls that could begin would wait. Whether they would is not known
  yet when a time-out fires before they have begun: that is noted (`Serial.hurried`), to be found out afterwards. And a
  call whose time is over while it would not wait if it had started afresh has missed a wake-up: every time-out is noted
  (`Serial.lapsed`), to be found out as well.
- **Time may pass at any moment** as long as nobody waits until then. Whoever looks at the clock sees it, so it is tried
  where the clock is read, and only with the `instants` that an execution has shown: without them time stands still.
- A call that sleeps is not waiting for anybody, so others do not begin meanwhile; only who sleeps again and again
  (`plait.run.virtual_time.MAX_EARLY`) is taken for one that polls.
- **Threads of the class** are not calls: they may run between calls. (In the middle of calls as well:
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
_MAX_LAPSED = 4  # time-outs in one order that are looked into; who polls has many
_MAX_HURRIED = 4  # time-outs in one order that fire before their time; more only make polling longer
_END_OF_TIME = 1e15


class Overtaken(NamedTuple):
    """A call that was released together with another one, and went on after it.

    ``released`` and ``continued`` are moments, ``at`` is the length of the trace then, ``waits`` how often the thread
    had waited.
    """

    thread: int
    released: int
    continued: int
    at: int
    waits: int


class Hurried(NamedTuple):
    """A time-out that fired while calls could begin: the moment, the length of the trace then, and which choice."""

    moment: int
    at: int
    choice: int


class Lapse(NamedTuple):
    """Time-outs that fired: the how manieth time, the length of the trace then, each thread and how often it waited."""

    idle: int
    at: int
    threads: tuple[tuple[int, int], ...]


class Serial:
    """Depth-first over the choices at the beginnings of calls; see the module's docstring.

    ``script`` makes it follow one order, as `choices` gives it. ``instants`` are what the clock may show.
    """

    name = "serial"

    def __init__(self, script: Sequence[int] | None = None, instants: Sequence[float] = ()) -> None:
        self.instants = instants
        self.exhausted = False
        self.executions = 0
        self.free = False
        self.overtaken: list[Overtaken] = []  # in the execution under way, as all that follows
        self.hurried: list[Hurried] = []
        self.lapsed: list[Lapse] = []
        self._only = script is not None
        self._script: list[int] = list(script or ())  # the position of the chosen one, one per branching
        self._options: list[int] = []  # how many there were
        self._moments: list[tuple[int, bool]] = []  # the length of the trace then, and whether a call could begin
        self._started = False
        self._begin()

    def _begin(self) -> tuple[()]:
        self._asked = 0
        self._moments = []
        self._moment = 0
        self._released: dict[int, int] = {}
        self._early: dict[int, int] = {}
        self._patient: set[int] = set()  # threads that could end their wait early, and have not yet
        self.overtaken = []
        self.hurried = []
        self.lapsed = []
        self._idles = 0
        return ()

    @property
    def choices(self) -> tuple[int, ...]:
        """The order of the execution that has just ended."""
        return tuple(self._script[: self._asked])

    def next_prefix(self) -> Sequence[int] | None:
        """Return no prefix: choices are counted at branchings, not at steps."""
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
        """Let the next execution follow the order of the last one."""
        self._begin()

    def prune(self, choice: int) -> None:
        """Leave out all orders that make the same choices as the last one, up to this one."""
        del self._script[choice + 1 :]
        del self._options[choice + 1 :]

    def before_polling(self, engine: Engine) -> int:
        """Return the last choice that counts in an order that has just ended and hangs; -1 if none does.

        Behind the last change calls only read, and see the same whoever goes first. So only choices count that were
        made before it, and those at which a call could begin.
        """
        changed = last_change(engine.trace)
        for choice in range(self._asked - 1, -1, -1):
            at, begins = self._moments[choice]
            if begins or at <= changed:
                return choice
        return -1

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose the running thread inside a call; then those that are released; else branch."""
        if current is not None and current.enabled and not _begins(current):
            if self._may_end_early(current):
                chosen = self._branch(engine, [current.id, *(each for each in engine.enabled if each != current.id)])
                if chosen != current.id:
                    self._patient.add(current.id)
                return chosen
            return current.id
        return self._next(engine)

    def _may_end_early(self, thread: VThread) -> bool:
        """Return whether the thread stands at a wait that may end now, with time-outs at any moment."""
        before = self._early.get(thread.id, 0)
        self._early[thread.id] = thread.early
        return thread.early > before and thread.mode != TICK

    def _own(self, engine: Engine) -> range:
        """Return the numbers of the threads that make the test's calls."""
        return engine.bodies

    def _next(self, engine: Engine) -> int:
        threads = engine.threads
        own = self._own(engine)
        waited = [number for number in engine.enabled if number in own and not _begins(threads[number])]
        forced = [number for number in waited if number not in self._patient or threads[number].notified]
        for number in forced:
            self._released.setdefault(number, self._moment)
        others = [number for number in engine.enabled if number not in own]
        options = [*forced, *others] if forced else list(engine.enabled)
        if not forced and not others and len(self.hurried) < _MAX_HURRIED:
            options += [_TIME] if any(threads[number].deadline is not None for number in own) else []
        chosen = self._branch(engine, options)
        if chosen == _TIME:
            self.hurried.append(Hurried(self._moment - 1, len(engine.trace), self._asked - 1))
            begun = self.before_idle(engine)
            if begun is not None:
                return begun
            engine.let_time_pass()
            return self._next(engine) if engine.enabled else STOP
        self._patient.discard(chosen)
        if chosen in self._released:
            released = self._released.pop(chosen)
            # A call whose own time is over has been woken for that, and nobody can take it from it.
            if released < self._moment - 1 and not threads[chosen].timed_out:
                late = Overtaken(chosen, released, self._moment - 1, len(engine.trace), threads[chosen].waits)
                self.overtaken.append(late)
        return chosen

    def _branch(self, engine: Engine, options: Sequence[int]) -> int:
        self._moment += 1
        if len(options) == 1:
            return options[0]
        begins = any(number not in self._own(engine) or _begins(engine.threads[number]) for number in options)
        position = self._decide(engine, len(options), begins=begins)
        return options[position] if position < len(options) else STOP

    def _decide(self, engine: Engine, count: int, *, begins: bool) -> int:
        """Return which of so many it is this time."""
        index = self._asked
        self._asked += 1
        self._moments.append((len(engine.trace), begins))
        if index == len(self._script):
            self._script.append(0)
        if index == len(self._options):
            self._options.append(count)
        return self._script[index]

    def before_reading(self, engine: Engine) -> None:
        """Let time pass, or not, before the clock is read; never so long that a time-out would have to fire first."""
        end = min((each.deadline for each in engine.threads if each.deadline is not None), default=_END_OF_TIME)
        ahead = [instant for instant in self.instants if engine.time.now < instant < end]
        if ahead and (position := self._decide(engine, len(ahead) + 1, begins=True)):
            engine.time.now = ahead[min(position, len(ahead)) - 1]

    def before_idle(self, engine: Engine) -> int | None:
        """Note the time-outs that fire now; returns the thread that is to begin before they do, if there is one."""
        sleepers = [each for each in engine.threads if each.deadline is not None and each.state != FINISHED]
        due = min((each.deadline for each in sleepers if each.deadline is not None), default=None)
        own = self._own(engine)
        fired = tuple(
            (each.id, each.waits) for each in sleepers
            if each.deadline == due and each.id in own and _waits_for_others(each)
        )  # fmt: skip
        self._idles += 1
        if fired and len(self.lapsed) < _MAX_LAPSED:
            self.lapsed.append(Lapse(self._idles - 1, len(engine.trace), fired))
        return None

    def executed(self, engine: Engine) -> None:
        """Learn nothing: the script is complete."""
        self.executions += 1


class StartedAfresh(Serial):
    """Follows an order up to a moment, then lets one more thread begin; `waits` says whether it then had to wait.

    The last of the test's threads is the one more: it takes no part in the order.
    """

    def __init__(self, script: Sequence[int], moment: int, instants: Sequence[float] = ()) -> None:
        super().__init__(script, instants)
        self.waits: bool | None = None  # None: the order could not be followed
        self._target = moment
        self._extra: VThread | None = None

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose as `Serial.choose` does; the thread that is beginning runs until it ends or waits."""
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
    """Follows an order until time has to pass for the how manieth time, then lets one more thread begin before it does.

    `waits` says whether that one had to wait. It is the last of the test's threads, and takes no part in the order.
    """

    def __init__(self, script: Sequence[int], idle: int, instants: Sequence[float] = ()) -> None:
        super().__init__(script, instants)
        self.waits: bool | None = None  # None: the order could not be followed
        self._target = idle
        self._extra: VThread | None = None
        self._begun = False

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Choose as `Serial.choose` does; the thread that has begun runs until it ends or waits."""
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
        """Decide as `Serial.before_idle` does; the second time the thread that has begun waits, too."""
        if self._begun:
            self.waits = True
            return None
        super().before_idle(engine)
        if self._idles <= self._target or self._extra is None:
            return None
        self._begun = True
        engine.enable(self._extra)
        return self._extra.id


class Shaken(Serial):
    """Follows an order to its end; when nothing can run any more, the last of the test's threads has its turn.

    That one takes no part in the order: it is given a time-out that comes behind all others.
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
    """Return whether a thread waits for something that others do, other than to end or to release a lock."""
    target = thread.blocked_on
    return target is not None and not isinstance(target, VThread) and not hasattr(target, "holder")


def _begins(thread: VThread) -> bool:
    """Return whether the thread stands where its next call begins."""
    return thread.mode == LOCAL and not thread.loc and not thread.site
