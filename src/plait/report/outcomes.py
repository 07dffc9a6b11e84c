"""What the two versions of a comparison can do, outcome by outcome, as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

MOST_ROWS = 12
MOST_PARTS = 3


class OutcomeTable(NamedTuple):
    """Plain text. The last two columns say which version has the outcome: ``yes`` or ``never``."""

    head: list[str]
    rows: list[list[str]]
    notes: list[str]


def outcome_table(more: Mapping[str, Any]) -> OutcomeTable:
    """From the fields ``outcomes`` and ``outcomes_complete`` of a result; what only one version has comes first."""
    outcomes = more.get("outcomes", {})
    old, new = outcomes.get("old", []), outcomes.get("new", [])
    every = [*new, *(each for each in old if each not in new)]
    every.sort(key=lambda each: (each in old, each in new))
    state = _varying(every, "state") or _varying(every, "afterwards")
    calls = _varying(every, "calls")
    head = [*(call.partition(": ")[2] for call in calls), *state, "before", "after"]
    rows = []
    for each in every[:MOST_ROWS]:
        left = {**each.get("state", {}), **each.get("afterwards", {})}
        marks = ["yes" if each in old else "never", "yes" if each in new else "never"]
        results = [each["calls"][call].removeprefix("returns ") for call in calls]
        rows.append([*results, *(left.get(path, "-") for path in state), *marks])
    notes = [f"... {len(every) - MOST_ROWS} more"] if len(every) > MOST_ROWS else []
    complete = more.get("outcomes_complete", {})
    if not all(complete.values()):
        unfinished = " and ".join(name for name, whole in complete.items() if not whole)
        notes.append(f"({unfinished}: not all interleavings were executed, there may be more)")
    return OutcomeTable(head, rows, notes)


def _varying(outcomes: Sequence[Mapping[str, Any]], part: str) -> list[str]:
    """The attributes (or answers) that are not the same in all outcomes."""
    values: dict[str, set[str]] = {}
    for each in outcomes:
        for path, value in each.get(part, {}).items():
            values.setdefault(path, set()).add(value)
    return [path for path, seen in values.items() if len(seen) > 1][:MOST_PARTS]
