"""Probabilistic concurrency testing (PCT): random thread priorities that change at d - 1 random steps.

The enabled thread with the highest priority always runs; at each change point the thread that would run drops below all
others. A fault that needs d ordering constraints shows with probability at least 1 / (n * k ** (d - 1)) per execution,
for n threads and k steps (Burckhardt, Kothari, Musuvathi and Nagarakatti, 2010). The number of steps is taken from
the longest execution so far; the first one has no change points and measures it.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.run.engine import Engine
    from plait.run.vthread import VThread


class Pct:
    """Probabilistic concurrency testing. It never ends; the same seed gives the same executions."""

    name = "pct"

    def __init__(self, depth: int = 3, seed: int = 0) -> None:
        if depth < 1:
            raise ValueError("the depth of a fault is at least 1")
        self.exhausted = False
        self.free = False
        self.depth = depth
        self.longest = 0
        self._random = Random(seed)
        self._priorities: dict[int, float] = {}
        self._changes: dict[int, int] = {}  # step: the priority that the thread about to run drops to

    def next_prefix(self) -> Sequence[int] | None:
        """Draw the change points of the next execution; a thread's priority is drawn when it is first enabled."""
        self._priorities = {}
        places = min(self.depth - 1, self.longest)
        steps = self._random.sample(range(self.longest), places) if places else []
        self._changes = {step: -rank for rank, step in enumerate(sorted(steps), 1)}
        return ()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the enabled thread with the highest priority."""
        chosen = self._highest(engine.enabled)
        change = self._changes.pop(engine.step, None)
        if change is not None:
            self._priorities[chosen] = change
            chosen = self._highest(engine.enabled)
        return chosen

    def _highest(self, enabled: Sequence[int]) -> int:
        priorities = self._priorities
        chosen, highest = -1, 0.0
        for number in enabled:
            priority = priorities.get(number)
            if priority is None:
                priority = priorities[number] = self._random.random()
            if chosen < 0 or priority > highest:
                chosen, highest = number, priority
        return chosen

    def executed(self, engine: Engine) -> None:
        """Record the length of the longest execution."""
        self.longest = max(self.longest, engine.step)
