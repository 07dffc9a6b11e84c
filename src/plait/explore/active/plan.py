"""A strategy for one orchestrated execution: an access of one thread happens right before an access of another.

How to achieve this depends on what the threads do before their accesses, so there are several plans. The threads wait
for each other at their *gates*: before the access, or before the critical section around it that would lock the other
thread out. After the first access, threads that would overwrite the location are held until the second access.

``meet``: follow the execution that the prediction comes from until each thread is at its gate; then run the first, then
the second. ``delay``: follow that execution without holding the first thread, but no thread may write between the two
accesses. ``first-waits``: run the first thread alone to its gate, then the second one to its own. ``second-waits``: the
reverse, for stale reads and lost updates. ``straight``: run the first thread until its access is made, then the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from plait.explore.strategy import run_on
from plait.observe.iroots import CHANGES, Hint, Visit, visits_conflict
from plait.run.engine import Engine
from plait.run.vthread import FINISHED, VThread

MEET, DELAY, FIRST_WAITS, SECOND_WAITS, STRAIGHT = "meet", "delay", "first-waits", "second-waits", "straight"


class ActiveAim(NamedTuple):
    """Two accesses, a plan to bring them together, and the order of threads in the execution that showed them."""

    hint: Hint
    plan: str
    order: Sequence[int] = ()


class Orchestrated:
    """A strategy for one execution. ``met`` says whether the second access came right after the first."""

    name = "active"

    def __init__(self, aim: ActiveAim) -> None:
        self.exhausted = False
        self.free = False
        self.met = False
        self._aim = aim
        self._asked = False
        self._seen = 0
        self._visits: dict[tuple[int, int], int] = {}
        self._going = False  # both were at their gates
        self._left: tuple[int, int, int] | None = None  # root, location, mode of the first access until overwritten
        self._position = 0

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix once, then None."""
        if self._asked:
            return None
        self._asked = True
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread that the plan wants to run, if it can."""
        self._follow(engine)
        hint = self._aim.hint
        if self.met or max(hint.first.thread, hint.second.thread) >= len(engine.threads):
            return run_on(engine, current)
        first, second = engine.threads[hint.first.thread], engine.threads[hint.second.thread]
        for wanted in self._wanted(engine, first, second):
            if wanted.enabled and not self._overwrites(engine, wanted):
                return wanted.id
        for number in engine.enabled:
            if not self._overwrites(engine, engine.threads[number]):
                return number
        return run_on(engine, current)

    def executed(self, engine: Engine) -> None:
        """Take in the last steps of the execution."""
        self._follow(engine)

    # -- what has happened -------------------------------------------------------------------------------------------

    def _follow(self, engine: Engine) -> None:
        """Take in the steps since the last choice."""
        if self._seen == len(engine.trace) or self.met:
            return
        hint, roots, visits = self._aim.hint, engine.heap.roots, self._visits
        for thread, loc, mode, site, _enabled, _after in engine.trace[self._seen :]:
            count = visits[thread, site] = visits.get((thread, site), 0) + 1
            left = self._left
            if left is not None and roots[loc] == left[0] and visits_conflict(left[2], left[1], mode, loc):
                if thread == hint.second.thread and site == hint.second.site:
                    self.met = True
                elif mode in CHANGES:
                    self._left = None
                    self._going = False
            if thread == hint.first.thread and site == hint.first.site and count >= hint.first.nth:
                self._left = (roots[loc], loc, mode)
        self._seen = len(engine.trace)

    def _at(self, thread: VThread, gate: Visit) -> bool:
        """Return whether a thread is before a place, and has reached it at least ``gate.nth`` times."""
        made = self._visits.get((gate.thread, gate.site), 0)
        return thread.site == gate.site and thread.state != FINISHED and made + 1 >= gate.nth

    def _overwrites(self, engine: Engine, thread: VThread) -> bool:
        """Return whether the thread's next operation would come between the two accesses and conflict with them."""
        left, hint = self._left, self._aim.hint
        if left is None or thread.mode not in CHANGES or engine.heap.roots[thread.loc] != left[0]:
            return False
        if thread.id == hint.second.thread and thread.site == hint.second.site:
            return False
        return visits_conflict(left[2], left[1], thread.mode, thread.loc)

    # -- who goes next -----------------------------------------------------------------------------------------------

    def _wanted(self, engine: Engine, first: VThread, second: VThread) -> Iterator[VThread]:
        """Yield the two threads, and others where the plan needs them, in order of preference."""
        plan, hint = self._aim.plan, self._aim.hint
        if self._left is not None and plan != DELAY:
            yield from (second, first)
            return
        at_first, at_second = self._at(first, hint.first_gate), self._at(second, hint.second_gate)
        if at_first and at_second and (hint.locked or _meet(engine, first, second)):
            self._going = True
        if self._going and self._left is None:
            yield from (first, second)
        elif plan in (MEET, DELAY):
            waits = at_first and plan == MEET
            yield from self._as_seen(engine, first if waits else None, second if at_second else None)
            yield from (second, first) if self._left is not None or waits else (first, second)
        elif plan == FIRST_WAITS:
            yield from (second, first) if at_first else (first, second)
        elif plan == SECOND_WAITS:
            yield from (first, second) if at_second else (second, first)
        else:
            yield from (first, second)

    def _as_seen(self, engine: Engine, *held: VThread | None) -> Iterator[VThread]:
        """Yield the next thread in the order of the execution that the prediction was made from, except held ones."""
        order = self._aim.order
        holding = () if self._left is not None else held
        while self._position < len(order):
            number = order[self._position]
            self._position += 1
            thread = engine.threads[number] if 0 <= number < len(engine.threads) else None
            if thread is not None and thread.enabled and thread not in holding and not self._overwrites(engine, thread):
                yield thread
                return


def _meet(engine: Engine, first: VThread, second: VThread) -> bool:
    """Return whether both threads are before conflicting accesses to one location."""
    roots = engine.heap.roots
    return roots[first.loc] == roots[second.loc] and visits_conflict(first.mode, first.loc, second.mode, second.loc)
