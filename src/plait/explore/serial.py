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
  yet when a time-out fires before they have begun: that is noted (`Serial.hurried`), to be found out afterwards.
- A call that sleeps is not waiting for anybody, so others do not begin meanwhile; only who sleeps again and again
  (`plait.run.engine.MAX_EARLY`) is taken for one that polls.
- **Threads of the class** are not calls: they may run between calls. (In the middle of calls as well:
  `plait.judge.oracle.specification`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from plait.run.engine import STOP, Engine, last_change
from plait.run.operations import LOCAL, TICK
from plait.run.vthread import FINISHED, VThread

_TIME = -1
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


class Serial:
    """Depth-first over the choices at the beginnings of calls; see the module's docstring.

    ``script`` makes it follow one order, as `choices` gives it.
    """

    name = "serial"

    def __init__(self, script: Sequence[int] | None = None) -> None:
        self.exhausted = False
        self.executions = 0
        self.free = False
        self.overtaken: list[Overtaken] = []  # in the execution under way, as all that follows
        self.hurried: list[Hurried] = []
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
        return ()

    @property
    def choices(self) -> tuple[int, ...]:
        """The order of the execution that has just ended."""
        return tuple(self._script[: self._asked])

    def next_prefix(self) -> Sequence[int] | None:
        """Never a prefix: choices are counted at branchings, not at steps."""
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

    def again(self) -> None:
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
        """Inside a call the running thread goes on; then those that are released; else branch."""
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
            engine.let_time_pass()
            return self._next(engine) if engine.enabled else STOP
        self._patient.discard(chosen)
        if chosen in self._released:
            released = self._released.pop(chosen)
            if released < self._moment - 1:
                late = Overtaken(chosen, released, self._moment - 1, len(engine.trace), threads[chosen].waits)
                self.overtaken.append(late)
        return chosen

    def _branch(self, engine: Engine, options: Sequence[int]) -> int:
        self._moment += 1
        if len(options) == 1:
            return options[0]
        index = self._asked
        self._asked += 1
        begins = any(number not in self._own(engine) or _begins(engine.threads[number]) for number in options)
        self._moments.append((len(engine.trace), begins))
        if index == len(self._script):
            self._script.append(0)
        if index == len(self._options):
            self._options.append(len(options))
        return options[self._script[index]] if self._script[index] < len(options) else STOP

    def executed(self, engine: Engine) -> None:
        """Nothing to learn: the script is complete."""
        self.executions += 1


class StartedAfresh(Serial):
    """Follows an order up to a moment, then lets one more thread begin; `waits` says whether it then had to wait.

    The last of the test's threads is the one more: it takes no part in the order.
    """

    def __init__(self, script: Sequence[int], moment: int) -> None:
        super().__init__(script)
        self.waits: bool | None = None  # None: the order could not be followed
        self._target = moment
        self._extra: VThread | None = None

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """As `Serial.choose`; the thread that begins at the moment runs until it ends or waits."""
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
        """As `Serial.choose`."""
        if not self._ready:
            self._ready = True
            extra = engine.threads[engine.bodies[-1]]
            engine.disable(extra)
            extra.deadline = _END_OF_TIME
        return super().choose(engine, current)


def _begins(thread: VThread) -> bool:
    """Return whether the thread stands where its next call begins."""
    return thread.mode == LOCAL and not thread.loc and not thread.site
