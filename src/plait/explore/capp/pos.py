"""Partial-order sampling with a bias towards preemptions at impacted code points.

At most steps, only the threads that a heuristic keeps can be chosen (see `plait.explore.capp.partition`); at the other
steps every thread can, so that every schedule remains possible.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from plait.explore.pos import Pos

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.explore.capp.partition import Prioritizer
    from plait.run.engine import Engine
    from plait.run.vthread import VThread

_BIAS = 0.9  # the fraction of steps that follow the heuristic


class CappPos(Pos):
    """Biased partial-order sampling. It never ends; the same seed gives the same executions."""

    def __init__(self, priority: Prioritizer, seed: int = 0, bias: float = _BIAS) -> None:
        super().__init__(seed)
        self.name = f"pos+{priority.name}"
        self._priority = priority
        self._bias = bias
        self._coin = Random(seed + 1)

    def next_prefix(self) -> Sequence[int] | None:
        """Return an empty prefix; there is always another execution."""
        self._priority.begin()
        return super().next_prefix()

    def choose(self, engine: Engine, current: VThread | None) -> int:
        """Return the thread that the heuristic prefers, or at some steps the one with the highest priority."""
        enabled = engine.enabled
        last = engine.trace[-1][0] if engine.step else -1
        if len(enabled) > 1 and last in enabled and self._coin.random() < self._bias:
            kept = self._priority.partition(engine, [last, *(n for n in enabled if n != last)], last)
            if len(kept) < len(enabled):
                return kept[0]
        return super().choose(engine, current)
