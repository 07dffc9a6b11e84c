"""Depth-first search over all schedules, optionally with at most ``bound`` preemptions: the brute-force reference."""

from __future__ import annotations

from collections.abc import Sequence

from plait.run.engine import Engine
from plait.run.vthread import VThread


class Dfs:
    """Every schedule once, the untried branch nearest to the end first."""

    name = "dfs"

    def __init__(self, bound: int | None = None) -> None:
        self.exhausted = False
        self.free = True
        self.bound = bound
        self.diverged = False
        # One entry per step: the enabled threads not tried yet, in reverse order of trial; and what was chosen.
        self._left: list[list[int]] = []
        self._chosen: list[int] = []
        self._spent: list[int] = []  # preemptions before each step
        self._base = 0
        self._started = False

    def next_prefix(self) -> Sequence[int] | None:
        """The schedule so far up to the deepest step with an untried thread, and that thread."""
        if not self._started:
            self._started = True
            return ()
        left = self._left
        while left and not left[-1]:
            left.pop()
        if not left:
            self.exhausted = True
            return None
        self._base = len(left) - 1
        thread = left[-1].pop()
        del self._chosen[self._base :], self._spent[self._base + 1 :]
        self._chosen.append(thread)
        return self._chosen

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Never asked: behind the prefix the running thread goes on."""
        raise AssertionError

    def executed(self, engine: Engine) -> None:
        """Note what else could have run at each new step."""
        left, chosen, spent, bound = self._left, self._chosen, self._spent, self.bound
        started = len(left)
        number = -1
        last = -1
        cost = 0
        for thread, _loc, _mode, _site, enabled, _after in engine.trace:
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
