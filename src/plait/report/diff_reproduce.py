"""What a reproducer of a difference does in its own process: looks for what is not allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plait.judge.difference.behaviour import explore_outcomes
from plait.judge.difference.explain import replay_outcome
from plait.judge.difference.outcome import Outcome
from plait.judge.oracle.explain import record_schedule
from plait.judge.oracle.safety import Examination
from plait.model.schedule import Schedule
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.observe.recording import as_step
from plait.report.interleaving import table
from plait.report.layout import as_text
from plait.report.reproducer import in_words, reproducer_digest, view_from_json
from plait.run.testbed import Testbed

EXPLORED = 3000


class _KnownOutcomes:
    """Outcomes by their short names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def __contains__(self, outcome: object) -> bool:
        return isinstance(outcome, Outcome) and reproducer_digest(outcome) in self._names


def outcome_failure(order: Mapping[str, Any]) -> str | None:
    """Why the test fails on the code that this process has loaded; None if it passes."""
    test = Test.from_lines(order["imports"], order["prefix"], order["threads"])
    view = view_from_json(order["view"])
    allowed = _KnownOutcomes(order["allowed"])
    schedule = Schedule.from_json(order["schedule"])
    outcome, _lost = replay_outcome(test, view, schedule)
    if outcome not in allowed:
        return _said(outcome, test, schedule, order)
    found = explore_outcomes(Testbed(test, PLACES), view, limit=EXPLORED, allowed=allowed)
    for other, shown in found.outcomes.items():
        if other not in allowed:
            return _said(other, test, shown.schedule, order)
    return None


def _said(outcome: Outcome, test: Test, schedule: Schedule, order: Mapping[str, Any]) -> str:
    moments, _pairs, waiting = record_schedule(Examination(test, PLACES), schedule)
    names = {thread: "; ".join(call.source for call in suffix) for thread, suffix in enumerate(test.suffixes, 1)}
    lines = [
        f"not among what is allowed: {in_words(outcome, test, view_from_json(order['view']))}",
        "allowed is:", *(f"    {text}" for text in list(order["allowed"].values())[:12]), "",
        as_text(table([as_step(moment) for moment in moments if moment.site.line], names=names)), *waiting,
    ]  # fmt: skip
    return "\n".join(lines)
