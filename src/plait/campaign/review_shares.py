"""One budget for many classes, and for several steps with each of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from plait.campaign.budget import Budget

WEIGHTS = {"diff": 0.3, "check": 0.25, "explore": 0.1, "perf": 0.35}
LEAST = {"diff": 3.0, "check": 3.0, "explore": 3.0, "perf": 15.0}
"""Seconds without which a step is not begun: it could not come to a conclusion."""
ENOUGH = {"diff": 60.0, "check": 60.0, "explore": 30.0, "perf": 120.0}
"""Seconds for a step when the clock is no limit."""


@dataclass(slots=True)
class Shares:
    """What is left is shared, by weight, between the steps that are left.

    Time that a step does not need is so passed on to all later ones.
    """

    budget: Budget
    _open: list[str] = field(default_factory=list)

    def plan(self, *steps: str) -> None:
        """Announce steps that will be taken."""
        self._open += steps

    def begin(self, step: str) -> float | None:
        """Seconds for a planned step; None if there are too few to begin."""
        every = sum(WEIGHTS[each] for each in self._open)
        self._open.remove(step)
        if self.budget.wall is None:
            return ENOUGH[step]
        mine = self.budget.left * WEIGHTS[step] / every
        return mine if mine >= LEAST[step] else None
