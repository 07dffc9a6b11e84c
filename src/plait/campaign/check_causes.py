"""Which findings are one, which of them is shown, and in what order."""

from __future__ import annotations

from typing import Any

from plait.campaign.stream import size_of
from plait.model.finding import Finding


def weight(finding: Finding) -> tuple[bool, bool, int, str]:
    """What matters most comes first: what can happen today, what cannot be overlooked, what is easily seen."""
    only_free = finding.reachable.get("gil") is not True
    return (only_free, finding.kind == "wrong-result", finding.preemptions, finding.summary)


def size(finding: Finding) -> tuple[int, int]:
    """Of findings with one cause the smallest is shown."""
    return (size_of(finding.test), finding.preemptions)


def cause(finding: Finding) -> Any:
    """Findings with the same racing places, or the same methods, have one cause."""
    if finding.race:
        places = frozenset((row["file"], row["function"], row["code"]) for row in finding.race)
        return (finding.kind, finding.exception, places)
    return (finding.kind, finding.exception, tuple(finding.methods))
