"""Depth-first search that does not explore a state twice.

If many threads access one location, there are as many classes of schedules as orders of these accesses, but most of
them lead to the same states: then this search needs far fewer executions than a reduction. An execution stops when it
reaches a known state; `plait.explore.canonical` defines what a state is. With a preemption bound, a state counts as
known only if it was reached with the same running thread and at most as many preemptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.canonical import States
from plait.explore.progress import fraction
from plait.explore.strategy import preemptions, run_on
from plait.run.engine import DIVERGED, REDUNDANT, STOP

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from plait.run.engine import Engine
    from plait.run.vthread import VThread


class Stateful:
    """Depth-first search over states: explores every reachable state once, within the bound."""

    name = "stateful"

    def __init__(self, bound: int | None = None) -> None:
        self.exhausted = False
        self.diverged = False
        self.free = False
        self.bound = bound
        self.redundant = 0
        self._states = States()
        self._known: dict[Hashable, int] = {}  # by state: the fewest preemptions it was reached with
        self._chosen: list[int] = []
        self._left: list[list[int]] = []  # per step: threads not tried yet, in reverse order of trial
        self._widths: list[int] = []
        self._started = False
        self._fresh = False
        self._last = -1
        self._spent = 0

    @property
    def states(self) -> int:
        """The number of states seen."""
        return len(self._known)

    @property
    def claim(self) -> str | None:
        """The set of schedules that the search has covered; None if it has not ended."""
        if not self.exhausted:
            return None
        return "all reachable states" + ("" if self.bound is None else f" with at most {preemptions(self.bound)}")

    def progress(self) -> float:
        """Return the explored fraction of the search: rather too low, because known states cut branches short."""
        return fraction((width - len(left), width) for left, width in zip(self._left, self._widths, strict=False))

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix, because `choose` must see each step; it follows the stored choices itself."""
        if self._started:
            while self._left and not self._left[-1]:
                self._left.pop()
            if not self._left:
                self.exhausted = not self.diverged
                return None
            del self._chosen[len(self._left) - 1 :], self._widths[len(self._left) :]
            self._chosen.append(self._left[-1].pop())
        self._started = True
        self._last = -1
        self._spent = 0
        self._fresh = True
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the stored choice; after these the running thread, or `STOP` if the state is known."""
        states, step, enabled = self._states, engine.step, engine.enabled
        if self._fresh:
            self._fresh = False
            states.begin(engine)
        states.update()
        if step and engine.trace[-1][0] == -1:
            self._last = -1
        if step < len(self._chosen):
            number = self._chosen[step]
            if number not in enabled:
                return number  # the engine reports the divergence
        else:
            if self._is_known(enabled):
                return STOP
            while len(self._chosen) < step:  # time has passed
                self._chosen.append(-1)
                self._left.append([])
                self._widths.append(1)
            number = run_on(engine, current)
            if self._last in enabled:
                number = self._last
            others = [other for other in reversed(enabled) if other != number]
            if self.bound is not None and self._last in enabled and self._spent >= self.bound:
                others = []
            self._chosen.append(number)
            self._left.append(others)
            self._widths.append(1 + len(others))
        if self._last != number and self._last in enabled:
            self._spent += 1
        self._last = number
        states.about_to_step(engine.threads[number])
        return number

    def _is_known(self, enabled: Sequence[int]) -> bool:
        key = self._states.key()
        if self.bound is not None:
            key = (key, self._last if self._last in enabled else -1)
        before = self._known.get(key)
        if before is not None and before <= self._spent:
            return True
        self._known[key] = self._spent if self.bound is not None else 0
        return False

    def executed(self, engine: Engine) -> None:
        """Count redundant executions; all else was recorded in `choose`."""
        if engine.status == REDUNDANT:
            self.redundant += 1
        elif engine.status == DIVERGED:
            self.diverged = True
