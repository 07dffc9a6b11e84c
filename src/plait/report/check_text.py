"""Which pairs of methods ran concurrently, and how that grew, as a small picture for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MOST_METHODS = 16  # a larger matrix fits no terminal
WIDTH = 40
_BARS = "▁▂▃▄▅▆▇█"
COVERED, TRIED, OPEN = "●", "○", "·"


def curve(coverage: Sequence[Sequence[float]], pairs: int) -> str:
    """One line: covered pairs over time, from nothing to all of them."""
    if not coverage or not pairs:
        return ""
    end = max(coverage[-1][0], 1e-9)
    marks = []
    for column in range(WIDTH):
        until = end * (column + 1) / WIDTH
        covered = max((count for when, count in coverage if when <= until), default=0)
        marks.append(_BARS[min(len(_BARS) - 1, int(covered * len(_BARS) / pairs))])
    return f"pairs covered over {end:.0f} s: {''.join(marks)} {coverage[-1][1]:.0f} of {pairs}"


def matrix(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The lower triangle of the method pairs: covered, tried or neither; nothing for a class with many methods."""
    names = sorted({name for row in pairs for name in row["methods"]})
    if not 1 < len(names) <= MOST_METHODS:
        return []
    marks = {
        frozenset(row["methods"]): COVERED if row["covered"] else TRIED if row["tried"] else OPEN for row in pairs
    }
    wide = max(map(len, names))
    lines = [
        f"{name:>{wide}} {' '.join(marks.get(frozenset((name, other)), ' ') for other in names[: number + 1])}"
        for number, name in enumerate(names)
    ]
    return [*lines, f"{COVERED} ran concurrently   {TRIED} tried   {OPEN} not tried"]
