"""Iterative context bounding: all schedules without a preemption first, then those with one, two, three...

Most concurrency faults need one or two preemptions, so this order finds them early, and a search that is stopped still
has a result: it covered "all schedules with at most k preemptions" (Musuvathi and Qadeer, Iterative context bounding,
2007). A schedule with more preemptions than the current level allows is queued for the next level. Nothing is executed
twice, because each queued item is another edge of the tree of schedules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.strategy import preemptions
from plait.run.engine import DIVERGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine
    from plait.run.vthread import VThread

_Edge = tuple[list[int], int, int, int]  # a schedule, the length to keep, the thread to continue with, preemptions


class Icb:
    """Iterative context bounding. ``level`` is the present number of preemptions, ``bound`` the last (None: all)."""

    name = "icb"

    def __init__(self, bound: int | None = None) -> None:
        self.exhausted = False
        self.diverged = False
        self.free = True
        self.bound = bound
        self.level = 0
        self.completed = -1  # all schedules with at most this many preemptions were executed
        self._now: list[_Edge] = [([], 0, -1, 0)]
        self._next: list[_Edge] = []
        self._edge: _Edge = self._now[0]

    @property
    def claim(self) -> str | None:
        """The set of schedules that the search has covered; None before the first level has been completed."""
        if self.exhausted and self.completed != self.bound:
            return "all schedules"
        return f"all schedules with at most {preemptions(self.completed)}" if self.completed >= 0 else None

    def next_prefix(self) -> Sequence[int] | None:
        """Return the schedule of the edge queued last at this level, or of the next level if none is left."""
        while not self._now:
            self.completed = self.level
            if not self._next or self.level == self.bound:
                self.exhausted = not self.diverged
                return None
            self.level += 1
            self._now, self._next = self._next, []
        self._edge = self._now.pop()
        schedule, length, thread, _spent = self._edge
        return [*schedule[:length], thread] if thread != -1 else ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the first enabled thread; called only when the running thread cannot continue."""
        return engine.enabled[0]

    def executed(self, engine: Engine) -> None:
        """Queue every alternative choice after the prefix of this schedule."""
        _schedule, length, thread, spent = self._edge
        planned = length + (thread != -1)
        if engine.status == DIVERGED:
            self.diverged = True
            return
        schedule: list[int] = []
        last, cost = -1, 0
        for chosen, _loc, _mode, _site, enabled, _after in engine.trace:
            if enabled is None:
                continue
            number = len(schedule)
            can_go_on = last in enabled
            if number >= planned and len(enabled) > 1:
                for other in reversed(enabled):
                    if other != chosen:
                        price = cost + (can_go_on and other != last)
                        (self._now if price <= self.level else self._next).append((schedule, number, other, price))
            if can_go_on and chosen != last:
                cost += 1
            schedule.append(chosen)
            last = chosen
        if spent > cost:
            self.diverged = True
