"""One budget for many classes, and for several steps with each of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from plait.campaign.budget import Budget

WEIGHTS = {"diff": 0.3, "check": 0.25, "perf": 0.35, "explore": 0.1}
LEAST = {"diff": 3.0, "check": 3.0, "perf": 15.0, "explore": 3.0}
"""Seconds without which a step is not begun: it could not come to a conclusion."""
ENOUGH = {"diff": 60.0, "check": 60.0, "perf": 60.0, "explore": 30.0}
"""Seconds for a step when the clock is no limit."""


@dataclass(slots=True)
class Shares:
    """What is left is shared between the classes that are left, and a class's share between its steps that are left.

    Time that a step does not need is so passed on, to the same class first.
    """

    budget: Budget
    classes: int
    _until: float = 0.0
    _open: dict[str, float] = field(default_factory=dict)

    def next_class(self, steps: tuple[str, ...]) -> None:
        """Begin with the next class, for which these steps are planned."""
        self._open = {step: WEIGHTS[step] for step in steps}
        if self.budget.wall is not None:
            self._until = self.budget.elapsed + self.budget.left / max(1, self.classes)
        self.classes -= 1

    def next_step(self, step: str) -> float | None:
        """Seconds for a step; None if there are too few to begin."""
        weight = self._open.pop(step)
        if self.budget.wall is None:
            return ENOUGH[step]
        mine = max(0.0, self._until - self.budget.elapsed) * weight / (weight + sum(self._open.values()))
        return mine if mine >= LEAST[step] else None
