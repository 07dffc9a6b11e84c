"""The budget of a campaign: by the clock, or by numbers of tests and schedules, which do not depend on the machine."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import NamedTuple

LONGEST_IMPORT = 60.0
"""Seconds for importing a subject if the budget is not one of time."""


@dataclass(slots=True)
class Budget:
    """The limits of a campaign. The clock starts when the object is created.

    ``wall`` is in seconds. With another limit and no ``wall``, time does not matter. Each number is a limit of its own;
    without any, the budget is unlimited.
    """

    wall: float | None = None
    max_tests: int | None = None
    max_schedules: int | None = None
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def of(
        cls, wall: float | None, max_tests: int | None = None, max_schedules: int | None = None, *, default: float
    ) -> Budget:
        """Return a budget with these limits; if there are none, one of ``default`` seconds."""
        if wall is None and max_tests is None and max_schedules is None:
            wall = default
        return cls(wall, max_tests, max_schedules)

    @property
    def by_steps(self) -> bool:
        """True if no time is limited but only numbers, so that the result depends on neither machine nor workers."""
        return self.wall is None and (self.max_tests is not None or self.max_schedules is not None)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds left, at least 0; infinite without a limit."""
        return float("inf") if self.wall is None else max(0.0, self.wall - self.elapsed)

    @property
    def import_s(self) -> float:
        """Seconds that importing the subject may take; the import is part of the budget."""
        return round(min(LONGEST_IMPORT, max(1.0, self.left)), 1)

    def is_over(self, *, tests: int = 0, schedules: int = 0) -> bool:
        """Return whether any limit is reached after so many tests and schedules."""
        return (
            self.left <= 0
            or (self.max_tests is not None and tests >= self.max_tests)
            or (self.max_schedules is not None and schedules >= self.max_schedules)
        )

    def shares(self, parts: int) -> list[Share]:
        """Return the limits for each of ``parts`` independent streams."""
        return [Share(_share(self.max_tests, parts, at), _share(self.max_schedules, parts, at)) for at in range(parts)]


class Share(NamedTuple):
    """The limits of one of several streams; None where there is no limit."""

    tests: int | None
    schedules: int | None

    def is_over(self, *, tests: int, schedules: int) -> bool:
        """Return whether either limit is reached after so many tests and schedules."""
        return (self.tests is not None and tests >= self.tests) or (
            self.schedules is not None and schedules >= self.schedules
        )


def _share(total: int | None, parts: int, at: int) -> int | None:
    return None if total is None else total // parts + (at < total % parts)
