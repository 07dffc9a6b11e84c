"""Threads that wait by spinning, and executions that can never end because of them.

A loop that reads a location until another thread writes it would run for ever under a controlled scheduler that prefers
it, because no other thread gets a turn. So a thread that only reads is disabled until something it has read is written.

A thread may also read without waiting, for example while it searches a list. A loop that waits returns to the state it
was in: the same place in the code, the same values of local variables, the same position in what it iterates over. A
loop that makes progress has another position, or counts. Disabling a thread that makes progress would lose schedules;
leaving one enabled that only waits costs steps. So in doubt a thread stays enabled.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from plait.run.endings import HANG
from plait.run.operations import ACQUIRE, KEY_READ, LOCAL, READ, RELEASE, TIME
from plait.run.vthread import FINISHED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from plait.run.engine import Engine, Entry
    from plait.run.vthread import VThread

_PLAIN = (int, float, complex, bool, str, bytes, type(None))
_FEW = 8
LOOK_EVERY = 64  # steps between two checks for spinning threads; a power of two
LAST_STEPS = 512  # the last steps before the limit, in which a thread that polls is distinguished from one that works
_SPIN_WINDOW = 16  # the most accesses in one round of a loop that is recognised as spinning
_IDLE_MODES = frozenset((READ, KEY_READ, LOCAL, TIME))  # steps that change nothing for other threads

State = tuple[Any, ...]


def repeated(trace: Sequence[tuple[Any, ...]], thread: int, longest: int) -> int:
    """Return the period with which the last entries repeat; 0 if they do not, or are not all reads of this thread."""
    last = [entry[1:4] for entry in trace[-2 * longest :] if entry[0] == thread and entry[2] in (READ, KEY_READ)]
    if len(last) < min(2 * longest, len(trace)):
        return 0
    return next((many for many in range(1, longest + 1) if last[many:] == last[:-many]), 0)


def state_of(thread: VThread) -> State:
    """Return the state of the running thread; in a loop that only waits, it is the same in each round.

    No code of the objects in it is called, except `repr` of plain values.
    """
    found: list[Any] = [tuple(position[0] for position in thread.walks)]
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if "_p_m" in frame.f_globals:  # a frame of the code under test
            values = tuple((name, _mark(value, 1)) for name, value in frame.f_locals.items())
            found.append((frame.f_code, frame.f_lasti, values))
        frame = frame.f_back
    return tuple(found)


def _mark(value: Any, depth: int) -> Any:
    """Return the part of a value to compare between two rounds of a loop: of objects, only type and length."""
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if depth and kind in (tuple, list) and len(value) <= _FEW:
        return kind, tuple(_mark(each, depth - 1) for each in value)
    return kind, len(value) if kind in (tuple, list, dict, set, frozenset) else None


class Spinning:
    """The threads of one execution that spin. Those in ``spinners`` are disabled."""

    __slots__ = ("_engine", "_repeating", "_states", "spinners")

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.spinners: list[VThread] = []
        # Near the limit of steps: the states that each thread was in, and the threads that returned to one of them.
        self._states: dict[int, set[tuple[Any, ...]]] = {}
        self._repeating: set[int] = set()

    def reset(self) -> None:
        """Forget the threads of the last execution."""
        if self.spinners:
            self.spinners.clear()
        self._forget_states()

    def _forget_states(self) -> None:
        """Forget the states that threads were in near the limit of steps."""
        if self._states:
            self._states.clear()
            self._repeating.clear()

    def look(self, thread: VThread) -> None:
        """Check whether the thread waits in a loop that reads and never writes; called every 64 steps.

        If so, disable it until something it read is written. If nothing else can run, it gets another turn, but only
        after the threads that wait for time to pass. A thread that may be spinning is first marked as a suspect and
        checked again one round of the loop later: it spins if its state is the same.
        """
        engine = self._engine
        step = engine.step
        engine.look_at = step + LOOK_EVERY - step % LOOK_EVERY
        if step > engine.max_steps - LAST_STEPS:
            self._watch_for_livelock(thread)
        if step > engine.max_steps and not self.goes_on():
            engine.stop(HANG, thread)
        since, thread.suspect = thread.suspect, None
        if thread.spinning is not None or (len(engine.enabled) < 2 and not engine.time.sleepers()):
            return
        period = repeated(engine.trace, thread.id, _SPIN_WINDOW)
        if not period:
            return
        state, now = state_of(thread), len(engine.trace)
        if since is None:
            thread.suspect = now, state
            engine.look_at = step + 1
        elif (now - since[0]) % period:
            thread.suspect = since
            engine.look_at = step + 1
        elif since[1] == state:
            thread.spinning = frozenset(engine.heap.roots[entry[1]] for entry in engine.trace[-period:])
            self.spinners.append(thread)
            engine.special = True
            engine.disable(thread)

    def _watch_for_livelock(self, thread: VThread) -> None:
        """Record the states of a thread near the limit of steps, and whether it returns to one of them."""
        engine = self._engine
        state = thread.clock_reads, state_of(thread)
        states = self._states.setdefault(thread.id, set())
        if state in states:
            self._repeating.add(thread.id)
        states.add(state)
        engine.look_at = engine.step + 1

    @property
    def livelocked(self) -> bool:
        """Return whether an execution that hangs can never end.

        This is so if no thread has changed anything for long, and each thread is back in an earlier state or waits
        without a time-out.
        """
        return self._engine.status == HANG and self._returns()

    def goes_on(self) -> bool:
        """Return whether an execution that has come to the limit of steps is given more of them, once: if it works."""
        engine = self._engine
        if engine.max_steps < 0 or not engine.spare_steps or self._returns():  # below 0 if it is interrupted
            return False
        engine.max_steps, engine.spare_steps = engine.max_steps + engine.spare_steps, 0
        self._forget_states()
        return True

    def _returns(self) -> bool:
        engine = self._engine
        last = engine.trace[-LAST_STEPS // 2 :]
        if last_change(last) >= 0:
            return False
        active = {entry[0] for entry in last} - {-1}
        return bool(active) and all(
            thread.id in self._repeating if thread.id in active else not thread.enabled and thread.deadline is None
            for thread in engine.threads[1:]
            if thread.state != FINISHED
        )

    def release(self, loc: int) -> None:
        """Enable the threads that spin on a location that was written."""
        engine = self._engine
        root = engine.heap.roots[loc]
        for spinner in [spinner for spinner in self.spinners if root in (spinner.spinning or ())]:
            self.spinners.remove(spinner)
            spinner.spinning = None
            engine.order_after(spinner, engine.step - 1)
            engine.enable(spinner)

    def retry(self) -> bool:
        """Enable all spinning threads, since nothing else can run; return False if there are none."""
        if not self.spinners:
            return False
        for spinner in self.spinners:
            self._engine.enable(spinner)  # keeps `spinning`, so it is not taken out again
        self.spinners.clear()
        return True


def last_change(trace: Sequence[Entry]) -> int:
    """Return the index of the last entry that changed anything for other threads; -1 if there is none.

    To take a lock and release it is no change if no other thread ran, and no time passed, in between. Nor is to take a
    lock right before the end.
    """
    depth, owner = 0, trace[-1][0] if trace else 0
    at_end = True
    for at in range(len(trace) - 1, -1, -1):
        thread, mode = trace[at][0], trace[at][2]
        at_end = at_end and thread == owner
        if depth and thread != owner:
            return at + 1
        if mode == RELEASE:
            depth, owner = depth + 1, thread
            at_end = False
        elif mode == ACQUIRE and (depth or at_end):
            depth -= bool(depth)
        elif mode not in _IDLE_MODES:
            return at
    return -1
