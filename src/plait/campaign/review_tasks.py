"""What worker processes do for a review."""

from __future__ import annotations

from typing import Any

from plait.campaign import worker_state
from plait.judge.examine import examine
from plait.judge.rules import Rules
from plait.judge.safety import Examination
from plait.model.test import Call, Test
from plait.observe.places import PLACES


def violation(test: Test, probes: tuple[str, ...], rules: dict[str, Any]) -> tuple[str, str | None] | None:
    """Kind and exception of a violation that this version shows in a test; None if there is none, or no such test."""
    worker_state.subject()
    with worker_state.world().entered():
        worker_state.note(test.as_lines())
        examination = Examination(test, PLACES, tuple(Call.from_line(line) for line in probes), Rules(**rules))
        found = examine(examination).violation
        return None if found is None else (found.kind, found.exception)
