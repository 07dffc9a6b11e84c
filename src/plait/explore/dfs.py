"""Depth-first search over all schedules, optionally with at most ``bound`` preemptions: the brute-force reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.progress import fraction
from plait.explore.strategy import preemptions
from plait.run.engine import DIVERGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine, Entry
    from plait.run.vthread import VThread


class Dfs:
    """Depth-first search: executes every schedule once, and tries the deepest untried branch first."""

    name = "dfs"

    def __init__(self, bound: int | None = None) -> None:
        self.exhausted = False
        self.free = True
        self.bound = bound
        self.diverged = False
        # One entry per step: the enabled threads not tried yet, in reverse order of trial; and the chosen thread.
        self._left: list[list[int]] = []
        self._chosen: list[int] = []
        self._base = 0
        self._trace: list[Entry] = []
        self._started = False

    @property
    def claim(self) -> str | None:
        """The set of schedules that the search has covered; None if it has not ended."""
        if not self.exhausted:
            return None
        return "all schedules" if self.bound is None else f"all schedules with at most {preemptions(self.bound)}"

    def progress(self) -> float:
        """Return the explored fraction of the tree of schedules."""
        path = []
        last, cost, number = -1, 0, 0
        for thread, _loc, _mode, _site, enabled, _after in self._trace:
            if enabled is None or number >= len(self._left):
                continue
            branches = len(enabled) or 1
            if self.bound is not None and last in enabled and cost >= self.bound:
                branches = 1
            path.append((branches - len(self._left[number]), branches))
            cost += last != thread and last in enabled
            last = thread
            number += 1
        return fraction(path)

    def next_prefix(self) -> Sequence[int] | None:
        """Return the last schedule up to the deepest step with an untried thread, followed by that thread."""
        if not self._started:
            self._started = True
            return ()
        left = self._left
        while left and not left[-1]:
            left.pop()
        if not left:
            self.exhausted = not self.diverged
            return None
        self._base = len(left) - 1
        thread = left[-1].pop()
        del self._chosen[self._base :]
        self._chosen.append(thread)
        return self._chosen

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the first enabled thread; called only when the running thread cannot continue."""
        return engine.enabled[0]

    def executed(self, engine: Engine) -> None:
        """Record the untried threads at each new step."""
        left, chosen, bound = self._left, self._chosen, self.bound
        self._trace = engine.trace
        if engine.status == DIVERGED:
            self.diverged = True
            return
        started = len(left)
        trace, number = engine.trace, -1
        if bound is None and len(trace) == engine.step:  # one entry per step: the known part can be skipped
            trace, number = trace[started:], started - 1
        last = -1
        cost = 0
        for thread, _loc, _mode, _site, enabled, _after in trace:
            if enabled is None:
                continue
            number += 1
            if number >= started:
                others = [other for other in reversed(enabled) if other != thread] if len(enabled) > 1 else []
                if bound is not None and others and last in enabled and cost >= bound:
                    others = [last] if last != thread else []
                left.append(others)
                if number >= len(chosen):
                    chosen.append(thread)
            if bound is not None:
                if last != thread and last in enabled:
                    cost += 1
                last = thread
