"""The virtual clock: time as the code under test sees it.

The clock stands still while any thread can run, and jumps to the next time-out when none can: a test that sleeps for an
hour takes no longer than one that does not. So a time-out fires only when nothing else could happen first. Real threads
can do at least this, and it keeps the number of schedules small. `Engine.any_timeouts` selects the other extreme, where
each wait may end before anything else happens.

The instants at which time had passed are recorded. The orders of whole calls, with which an execution is compared, must
be able to show the same instants (`plait.explore.serial`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.run.operations import LOCAL, TICK, TIME
from plait.run.vthread import FINISHED

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.run.engine import Engine, Pending
    from plait.run.vthread import VThread

MAX_EARLY = 3  # waits of a thread that may end early; more would only prolong polling
_EPOCH = 1_700_000_000.0  # what `time.time` returns at the start of every execution
_MONOTONIC = 1_000.0  # the same for `time.monotonic`
LOOKS = 400  # readings of the clock without a step in between, after which time passes: loops on deadlines must end


class VirtualTime:
    """The clock of one execution, and the threads that wait for a time-out."""

    __slots__ = (
        "_engine", "_looked", "_looks", "before_idle", "before_passing", "before_reading", "brief_sleeps", "epoch",
        "instants", "lapses", "monotonic", "now", "overdue", "timed",
    )  # fmt: skip

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.epoch, self.monotonic = _EPOCH, _MONOTONIC
        self.before_passing: Callable[[], bool] | None = None  # whether a thread that waits for a socket can continue
        self.reset()

    def reset(self) -> None:
        """Set the clock to zero, with no thread waiting."""
        self.now = 0.0
        self.instants: list[float] = []  # what the clock showed each time after time had passed
        self.before_reading: Callable[[], None] | None = None  # called before the clock is read: it may let time pass
        self.before_idle: Callable[[], object] | None = None  # called before time passes: may let a call begin
        self.brief_sleeps = False
        self.lapses = 0  # how often time has passed in the set-up since its last call began
        self.timed = False  # some thread has waited, or could have waited, with a time-out
        self.overdue: dict[int, list[Pending]] = {}  # by step at which the clock advanced: the operations waiting then
        self._looked = (0, 0)  # the thread that read the clock without a point last, and the step
        self._looks = 0

    def start_at(self, epoch: float, monotonic: float) -> None:
        """Set what the clocks show at the start of every execution from now on."""
        self.epoch, self.monotonic = epoch, monotonic

    def sleepers(self) -> list[VThread]:
        """Return the threads that wait with a time-out."""
        return [thread for thread in self._engine.threads if thread.deadline is not None and thread.state != FINISHED]

    def advance(self) -> bool:
        """Let the clock jump to the next time-out; return False if no thread waits with one."""
        if self.before_passing is not None and self.before_passing():
            return True
        sleepers = self.sleepers()
        if not sleepers:
            return False
        engine = self._engine
        self.now = max(self.now, min(thread.deadline for thread in sleepers if thread.deadline is not None))
        self.instants.append(self.now)
        # Recorded before any thread is woken. A reduction must know which operations were waiting: each of them, had it
        # been possible, would have come before the time-out. All steps before this one happen before it (`TIME`).
        self.overdue[engine.step] = engine.standing()
        engine.trace.append((-1, 0, TIME, 0, (), None))
        engine.step += 1
        # All threads whose time-outs are due are woken now, in the order of their numbers. Which of them runs
        # first is then the strategy's choice, as always.
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
        """Return the time left until a thread's time-out; None if it has none."""
        return None if thread.deadline is None else max(0.0, thread.deadline - self.now)

    def may_end_early(self, thread: VThread) -> bool:
        """Return whether a wait with a time-out may end at once: a thread's first few may, so that polling ends."""
        self.timed = True
        if not self._engine.any_timeouts or thread.early >= MAX_EARLY:
            return False
        thread.early += 1
        thread.waits += 1
        thread.notified = False
        return True

    def sleeps_briefly(self, thread: VThread) -> bool:
        """Return whether a sleep ends at once: in orders of whole calls, the first few sleeps of each body do."""
        if self.may_end_early(thread):
            return True
        if not self.brief_sleeps or thread.naps >= MAX_EARLY or thread.id not in self._engine.bodies:
            return False
        thread.naps += 1
        return True

    def look(self) -> float:
        """Return the time for code without points. Time passes if it does nothing but read the clock."""
        at = self._engine.thread.id, self._engine.step
        self._looks = self._looks + 1 if at == self._looked else 0
        self._looked = at
        if self._looks > LOOKS:
            self.pass_by(0.001 * 2 ** min(self._looks - LOOKS, 10))
        return self.now

    def pass_by(self, seconds: float) -> None:
        """Let time pass without waking any thread, as it does for a thread that sleeps."""
        self.now += seconds
        self.instants.append(self.now)

    def tick(self, thread: VThread, seconds: float, site: int) -> None:
        """Record, with time-outs at any moment, that the step just performed took this long."""
        if seconds > 0:
            self.pass_by(seconds)
            self._engine.note(thread, self._engine.heap.loc_of(self._engine.main, "clock"), TICK, site)
