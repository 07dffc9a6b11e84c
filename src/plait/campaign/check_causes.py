"""Which of the findings with one cause is shown, and in what order."""

from __future__ import annotations

import json
from collections.abc import Iterable

from plait.campaign.stream import size_of
from plait.model.finding import Finding


def weight(finding: Finding) -> tuple[bool, bool, int, str, str]:
    """What matters most comes first: what can happen today, what cannot be overlooked, what is easily seen."""
    only_free = finding.reachable.get("gil") is not True
    return (only_free, finding.kind == "wrong-result", finding.preemptions, finding.summary, _text(finding))


def size(finding: Finding) -> tuple[int, int]:
    """How much there is to understand."""
    if finding.test is None:  # of a worker that was lost
        return (len(finding.summary), 0)
    return (size_of(finding.test), finding.preemptions)


def better(finding: Finding, other: Finding) -> bool:
    """Of findings with one cause the smallest is shown; among equals it does not matter which came first."""
    return (size(finding), _text(finding)) < (size(other), _text(other))


def without_bystanders(findings: Iterable[Finding]) -> list[Finding]:
    """All but lost workers that a smaller set of methods explains: the others only happened to be called."""
    given = list(findings)
    lost = [each for each in given if each.test is None]
    return [
        each for each in given
        if each.test is not None
        or not any(other.kind == each.kind and set(other.methods) < set(each.methods) for other in lost)
    ]  # fmt: skip


def _text(finding: Finding) -> str:
    return json.dumps({**finding.as_json(), "occurrences": 0, "reproducer": None}, sort_keys=True, default=str)
