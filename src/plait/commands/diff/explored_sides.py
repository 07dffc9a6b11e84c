"""What a test shows on one version, kept between runs: after an edit, the other version is not explored again.

All outcomes of a test on one version follow from the code that the test reaches there, so they are kept under hashes of
that code alone. The next comparison explores only the version whose code has changed. If that shows the very same
outcomes, the versions do not differ. For any other answer the outcomes themselves are needed, and the known version is
explored again: a hash never proves a difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from plait.judge.difference.behaviour import Explored, readings
from plait.store.recording import BROKEN, digest_of


class ExploredSide(NamedTuple):
    """All outcomes of a test on one version, and all that callers can read meanwhile, each as one hash."""

    outcomes: str
    readings: str
    executions: int

    @classmethod
    def of(cls, explored: Explored) -> ExploredSide | None:
        """Return what an exploration has shown; None unless it came to its end, and did the same each time."""
        if not explored.exhausted or explored.diverged:
            return None
        read = {reading for outcome in explored.outcomes for reading in readings(outcome)}
        outcomes = digest_of(frozenset(map(tuple, explored.outcomes)))
        return cls(outcomes, digest_of(frozenset(read)), explored.executions)

    def is_like(self, explored: Explored, *, passing: bool) -> bool:
        """Return whether an exploration of the other version has shown the same, to its end.

        With ``passing``, only what callers can read counts.
        """
        other = ExploredSide.of(explored)
        if other is None:
            return False
        return other.readings == self.readings if passing else other.outcomes == self.outcomes

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        return self._asdict()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ExploredSide | None:
        """Return the inverse of `as_json`; None for malformed data."""
        try:
            return cls(str(data["outcomes"]), str(data["readings"]), int(data["executions"]))
        except BROKEN:
            return None
