"""Time as the code under test sees it.

The clock stands still while anybody can run, and jumps to the next time-out when nobody can: a test with a sleep of an
hour takes no longer than one without. So a time-out fires only where nothing else could have happened first. That is
the least that real threads do, and it keeps schedules few; `Engine.any_timeouts` asks for the other extreme, where each
wait may end before anything else happens.

An instant at which the clock stood is remembered. The orders of whole calls, with which an execution is compared, have
to be able to pass the same instants (`plait.explore.serial`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.run.operations import LOCAL, TICK, TIME
from plait.run.vthread import FINISHED

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.run.engine import Engine, Pending
    from plait.run.vthread import VThread

MAX_EARLY = 3  # waits of a thread that may end before their time; more only make polling longer
EPOCH = 1_700_000_000.0  # what `time.time` shows at the start of every execution
MONOTONIC = 1_000.0  # the same for `time.monotonic`
LOOKS = 400  # readings of the clock without any step in between, after which time passes: a loop until a deadline ends


class VirtualTime:
    """The clock of one execution, and the threads that wait for it."""

    __slots__ = (
        "_engine", "_looked", "_looks", "before_idle", "before_passing", "before_reading", "brief_sleeps", "epoch",
        "instants", "lapses", "monotonic", "now", "overdue", "timed",
    )  # fmt: skip

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.epoch, self.monotonic = EPOCH, MONOTONIC
        self.before_passing: Callable[[], bool] | None = None  # whether somebody can go on who waits for a socket
        self.reset()

    def reset(self) -> None:
        """Begin at zero, with nobody waiting."""
        self.now = 0.0
        self.instants: list[float] = []  # what the clock showed whenever time had passed
        self.before_reading: Callable[[], None] | None = None  # asked before the clock is read: time may pass there
        self.before_idle: Callable[[], object] | None = None  # asked before time passes: somebody may begin instead
        self.brief_sleeps = False
        self.lapses = 0  # how often time has passed in the set-up, since its last call began
        self.timed = False  # somebody has waited, or could have waited, with a time-out
        self.overdue: dict[int, list[Pending]] = {}  # who waited for what when the clock had to advance, by step
        self._looked = (0, 0)  # who has read the clock without a point, and at which step
        self._looks = 0

    def start_at(self, epoch: float, monotonic: float) -> None:
        """Set what the clocks show at the start of every execution from now on."""
        self.epoch, self.monotonic = epoch, monotonic

    def sleepers(self) -> list[VThread]:
        """Return the threads whose waits end by themselves."""
        return [thread for thread in self._engine.threads if thread.deadline is not None and thread.state != FINISHED]

    def advance(self) -> bool:
        """Let the clock jump to the next time-out. False: nobody waits with one."""
        if self.before_passing is not None and self.before_passing():
            return True
        sleepers = self.sleepers()
        if not sleepers:
            return False
        engine = self._engine
        self.now = max(self.now, min(thread.deadline for thread in sleepers if thread.deadline is not None))
        self.instants.append(self.now)
        # Before anybody is woken: a reduction must know who was waiting for what, because each of those operations, had
        # it been possible, would have come before the time-out. All steps before this one happen before it (`TIME`).
        self.overdue[engine.step] = engine.standing()
        engine.trace.append((-1, 0, TIME, 0, (), None))
        engine.step += 1
        # All whose time has come are woken at this one moment, in the order of their numbers; who then runs first is
        # the strategy's choice, as always.
        for thread in sleepers:
            if thread.deadline is not None and thread.deadline <= self.now:
                thread.deadline = None
                thread.timed_out = True
                if thread.mode == LOCAL and engine.current is not None and thread is not engine.thread:
                    engine.advance(engine.thread, thread)
                else:
                    engine.enable(thread)
        return True

    def left(self, thread: VThread) -> float | None:
        """Return what is left of the time that a thread waits at most."""
        return None if thread.deadline is None else max(0.0, thread.deadline - self.now)

    def may_end_early(self, thread: VThread) -> bool:
        """Return whether a wait with a time-out may end at any moment: each thread's first few may, so polling ends."""
        self.timed = True
        if not self._engine.any_timeouts or thread.early >= MAX_EARLY:
            return False
        thread.early += 1
        thread.waits += 1
        thread.notified = False
        return True

    def sleeps_briefly(self, thread: VThread) -> bool:
        """Return whether a sleep is over at once: a body's first few are, in orders of whole calls."""
        if self.may_end_early(thread):
            return True
        if not self.brief_sleeps or thread.naps >= MAX_EARLY or thread.id not in self._engine.bodies:
            return False
        thread.naps += 1
        return True

    def look(self) -> float:
        """Return the time for code that has no points: nobody is scheduled, but it passes for who only looks at it."""
        at = self._engine.thread.id, self._engine.step
        self._looks = self._looks + 1 if at == self._looked else 0
        self._looked = at
        if self._looks > LOOKS:
            self.pass_by(0.001 * 2 ** min(self._looks - LOOKS, 10))
        return self.now

    def pass_by(self, seconds: float) -> None:
        """Let so much time pass, as a thread that sleeps does for itself."""
        self.now += seconds
        self.instants.append(self.now)

    def tick(self, thread: VThread, seconds: float, site: int) -> None:
        """Record, with time-outs at any moment, that the step just performed took this long."""
        if seconds > 0:
            self.pass_by(seconds)
            self._engine.note(thread, self._engine.heap.loc_of(self._engine.main, "clock"), TICK, site)
