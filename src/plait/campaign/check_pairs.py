"""How often each pair of methods was tried and ran concurrently, in all streams of a campaign."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class PairCounts:
    """Streams report their own counts, each time all of them."""

    _of: dict[int, dict[tuple[str, ...], tuple[int, int]]] = field(default_factory=dict)  # by stream

    def take(self, number: int, rows: Iterable[Mapping[str, Any]]) -> None:
        """The counts of one stream."""
        self._of[number] = {tuple(row["methods"]): (row["tried"], row["covered"]) for row in rows}

    def rows(self) -> list[dict[str, Any]]:
        """The counts of all streams, as plain data."""
        found: dict[tuple[str, ...], tuple[int, int]] = {}
        for number in sorted(self._of):
            for pair, (tried, covered) in self._of[number].items():
                before = found.get(pair, (0, 0))
                found[pair] = (before[0] + tried, before[1] + covered)
        return [
            {"methods": list(pair), "tried": tried, "covered": covered}
            for pair, (tried, covered) in sorted(found.items())
        ]
