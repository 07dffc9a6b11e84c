"""Depth-first search that does not enter a state twice.

Where one location is hot, classes of schedules are as many as the orders of its accesses, but most of them meet in the
same states: here this search needs far fewer executions than a reduction. An execution stops where it comes to a
state that was there before; what a state is, see `plait.explore.canonical`. With a preemption bound a state counts as
known only if it was reached with the same running thread at the same or a lower price.
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
    """Every reachable state once, within the bound."""

    name = "stateful"

    def __init__(self, bound: int | None = None) -> None:
        self.exhausted = False
        self.diverged = False
        self.free = False
        self.bound = bound
        self.redundant = 0
        self._states = States()
        self._known: dict[Hashable, int] = {}  # state: the fewest preemptions it was reached with
        self._chosen: list[int] = []
        self._left: list[list[int]] = []  # per step: threads not tried yet, in reverse order of trial
        self._widths: list[int] = []
        self._started = False
        self._fresh = False
        self._last = -1
        self._spent = 0

    @property
    def states(self) -> int:
        """How many states were seen."""
        return len(self._known)

    @property
    def claim(self) -> str | None:
        """What is covered for certain."""
        if not self.exhausted:
            return None
        return "all reachable states" + ("" if self.bound is None else f" with at most {preemptions(self.bound)}")

    def progress(self) -> float:
        """Return the explored fraction of the search; known states cut it short, so that it is rather too low."""
        return fraction((width - len(left), width) for left, width in zip(self._left, self._widths, strict=False))

    def next_prefix(self) -> Sequence[int] | None:
        """Return no prefix, because each step must be seen; `choose` follows the script."""
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
        """Choose by the script; after it the running thread, unless the state is known."""
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
        """Learn nothing: everything was noted on the way."""
        if engine.status == REDUNDANT:
            self.redundant += 1
        elif engine.status == DIVERGED:
            self.diverged = True
