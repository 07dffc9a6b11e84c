"""Replaying a finding, in a worker."""

from __future__ import annotations

from typing import Any

from plait.campaign import worker_state
from plait.explore.scripted import Scripted
from plait.judge.explain import record_schedule
from plait.judge.safety import Examination
from plait.judge.specification import observe
from plait.judge.words import shown_result
from plait.model.schedule import Schedule
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.observe.recording import as_row
from plait.run.engine import ENGINE


def replay(test: Test, schedule: Schedule, probes: tuple[str, ...], times: int) -> dict[str, Any]:
    """Run one schedule ``times`` times: what happened, whether it was the same each time, and the verdict on it."""
    worker_state.subject()
    with worker_state.world().entered():
        examination = Examination(test, PLACES, tuple(Call.from_line(line) for line in probes))
        violation, lost = examination.replay(schedule)
        moments, _pairs, waiting = record_schedule(examination, schedule)
        rows = [as_row(moment) for moment in moments]
        same = 1
        for _ in range(times - 1):
            again, _pairs, _waiting = record_schedule(examination, schedule)
            same += [as_row(moment) for moment in again] == rows
        return {
            "rows": rows, "waiting": waiting, "lost": lost, "same": same, "results": _results(examination, schedule),
            "kind": violation.kind if violation is not None else None,
            "detail": violation.detail if violation is not None else "",
        }  # fmt: skip


def _results(examination: Examination, schedule: Schedule) -> list[str]:
    """What each call of the suffixes gives under the schedule."""
    strategy = Scripted(schedule)
    strategy.next_prefix()
    seen: list[str] = []

    def finish() -> None:
        observed = observe(examination.bed)
        seen.extend(
            f"{call.expression}: {shown_result(result)}"
            for call, result in zip(examination.bed.test.calls, observed.results, strict=True)
        )

    saved = (ENGINE.gil, ENGINE.any_timeouts)
    ENGINE.gil, ENGINE.any_timeouts = schedule.gil, schedule.any_timeouts
    try:
        ENGINE.execute(examination.bed.prepare, (), strategy, finish=finish)
    finally:
        ENGINE.gil, ENGINE.any_timeouts = saved
    return seen
