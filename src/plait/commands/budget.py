"""How much a campaign may do: by the clock, or by steps that give the same result on every machine."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple

LONGEST_IMPORT = 60.0
"""Seconds that importing a subject may take where the budget is no time."""


@dataclass(slots=True)
class Budget:
    """Starts to run when it is made.

    ``wall`` is in seconds. Limits by steps replace the clock: if there is one and no ``wall``, time does not matter.
    Each of the numbers is a limit of its own; a budget without any has no end.
    """

    wall: float | None = None
    max_tests: int | None = None
    max_schedules: int | None = None
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def of(
        cls, wall: float | None, max_tests: int | None = None, max_schedules: int | None = None, *, default: float
    ) -> Budget:
        """Return what was asked for; if nothing was, ``default`` seconds."""
        if wall is None and max_tests is None and max_schedules is None:
            wall = default
        return cls(wall, max_tests, max_schedules)

    @property
    def by_steps(self) -> bool:
        """Whether the result depends on steps alone, and so neither on the machine nor on the number of workers."""
        return self.wall is None and (self.max_tests is not None or self.max_schedules is not None)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds left, never below nothing; endless without a clock."""
        return float("inf") if self.wall is None else max(0.0, self.wall - self.elapsed)

    @property
    def import_s(self) -> float:
        """Seconds that importing the subject may take: it is a part of the budget."""
        return round(min(LONGEST_IMPORT, max(1.0, self.left)), 1)

    def is_over(self, *, tests: int = 0, schedules: int = 0) -> bool:
        """Return whether any limit is reached, with that much done."""
        return (
            self.left <= 0
            or (self.max_tests is not None and tests >= self.max_tests)
            or (self.max_schedules is not None and schedules >= self.max_schedules)
        )

    def shares(self, parts: int) -> list[Share]:
        """Return what each of ``parts`` independent streams may do."""
        return [Share(_share(self.max_tests, parts, at), _share(self.max_schedules, parts, at)) for at in range(parts)]


class Share(NamedTuple):
    """The limits of one of several streams; None where there is no limit."""

    tests: int | None
    schedules: int | None

    def is_over(self, *, tests: int, schedules: int) -> bool:
        """Return whether either limit is reached, with that much done."""
        return (self.tests is not None and tests >= self.tests) or (
            self.schedules is not None and schedules >= self.schedules
        )


def _share(total: int | None, parts: int, at: int) -> int | None:
    return None if total is None else total // parts + (at < total % parts)
