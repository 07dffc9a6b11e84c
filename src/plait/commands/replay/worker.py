"""The worker's side of `plait replay`."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from plait.errors import UsageError
from plait.explore.runner import execute, model
from plait.explore.scripted import Scripted
from plait.judge.oracle.explain import record_schedule, relevant
from plait.judge.oracle.rules import Rules
from plait.judge.oracle.safety import Examination
from plait.judge.oracle.specification import observe
from plait.judge.words import shown_result
from plait.model.finding import AccessStep
from plait.model.schedule import Schedule
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.observe.recording import as_step
from plait.workers import state


@dataclass(frozen=True, slots=True)
class ReplayOrder:
    """What to run again; ``rules`` as a result file has them."""

    test: Test
    schedule: Schedule
    probes: tuple[str, ...] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    foreign: tuple[str, ...] = ()  # modules that a test imports, and may if the subject has imported them

    def check_imports(self) -> None:
        """Refuse, behind the import of the subject, to import what only the file asks for."""
        for name in self.foreign:
            if name not in sys.modules:
                raise UsageError(f"the file would have plait import {name}: add --trust if you trust whoever wrote it")

    def examination(self) -> Examination:
        """Return the test, ready to be run; inside the world of a worker."""
        said = self.rules
        rules = Rules(said.get("invariant"), tuple(said.get("nondeterministic", ())), tuple(said.get("waiting", ())))
        return Examination(self.test, PLACES, tuple(Call.from_line(line) for line in self.probes), rules)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay: the steps, their race, the waiting threads, how often it was the same, and the verdict.

    ``lost`` says where the schedule did not fit any more.
    """

    rows: list[AccessStep]
    race: list[AccessStep]
    waiting: list[str]
    lost: str | None
    same: int
    results: list[str]
    kind: str | None
    detail: str


def replay_finding(order: ReplayOrder, times: int) -> Replayed:
    """Run one schedule ``times`` times: what happened, whether it was the same each time, and the verdict on it."""
    state.subject()
    order.check_imports()
    schedule = order.schedule
    with state.world().entered():
        examination = order.examination()
        violation, lost = examination.replay(schedule)
        moments, pairs, waiting = record_schedule(examination, schedule)
        pair = relevant(pairs, examination.bed, None if violation is None else violation.exception)
        rows = [as_step(moment) for moment in moments]
        first = list(map(_essence, rows))
        same = 1
        for _ in range(times - 1):
            again, _pairs, _waiting = record_schedule(examination, schedule)
            same += list(map(_essence, map(as_step, again))) == first
        return Replayed(
            rows, [] if pair is None else [as_step(pair.first), as_step(pair.second)], waiting, lost, same,
            _results(examination, schedule), violation.kind if violation is not None else None,
            violation.detail if violation is not None else "",
        )  # fmt: skip


_ADDRESS = re.compile(r"\b\d{12,}\b")


def _essence(step: AccessStep) -> AccessStep:
    """Return a step without what differs from run to run by itself: numbers that say where an object lies."""
    value = None if step.value is None else _ADDRESS.sub("...", step.value)
    return replace(step, place=_ADDRESS.sub("...", step.place), value=value)


def _results(examination: Examination, schedule: Schedule) -> list[str]:
    """Return what each call of the suffixes gives under the schedule."""
    strategy = Scripted(schedule)
    strategy.next_prefix()
    seen: list[str] = []

    def finish() -> None:
        observed = observe(examination.bed)
        seen.extend(
            f"{call.expression}: {shown_result(result)}"
            for call, result in zip(examination.bed.test.calls, observed.results, strict=True)
        )

    with model(schedule=schedule):
        execute(examination.bed.prepare, (), strategy, finish=finish)
    return seen
