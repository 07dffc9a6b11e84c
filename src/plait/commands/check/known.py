"""Findings of earlier runs in `plait check`: they are replayed before anything else."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import wait
from dataclasses import dataclass, field
from typing import Any

from plait.commands.check.causes import finding_size, weight
from plait.commands.check.worker import tasks
from plait.commands.check.worker.stream import StreamOptions
from plait.judge.oracle.causes import cause, grouped
from plait.model.command_results import CheckResult, CheckStats
from plait.model.counted import counted
from plait.model.finding import Finding
from plait.store.project import FIXED, OUTDATED, KnownFinding, Memory
from plait.workers.failures import WorkerError
from plait.workers.pool import Workers

TIMEOUT, STALL = 60.0, 8.0  # seconds


@dataclass(slots=True)
class Replays:
    """The known findings by what became of them: still there, moved (they show in another way now), or fixed.

    ``findings`` are those that still show, by cause. ``looks`` maps the looks of their violations to the size of the
    tests, ``explained`` to the cause.
    """

    memory: Memory
    findings: dict[str, Finding] = field(default_factory=dict)
    looks: dict[str, int] = field(default_factory=dict)
    explained: dict[str, str] = field(default_factory=dict)
    there: int = 0
    moved: int = 0
    fixed: list[str] = field(default_factory=list)

    def run(
        self, workers: Workers, subject: str, asked: StreamOptions, known: list[KnownFinding], over: Callable[[], bool]
    ) -> None:
        """Replay each finding until time is up. Those that could not be replayed are neither shown nor forgotten."""
        futures = []
        for each in known:
            if each.finding.test is not None and each.finding.schedule is not None:
                args = (subject, asked, each.finding, each.unchanged)
                futures.append((each, workers.attempt(tasks.recheck, *args, timeout=TIMEOUT, stall=STALL)))
            elif each.unchanged:  # it has killed its worker, and would do so again
                self._shows(each.cause, each.finding, each.look)
            else:
                self.memory.settle(each.cause, OUTDATED)
        for each, future in futures:
            while not wait([future], 0.2).done:
                if over():
                    future.cancel()
                    break
            else:
                try:
                    found: tasks.Rechecked = future.result().value
                except WorkerError:
                    continue
                self._take(each, found)

    def _take(self, known: KnownFinding, found: tasks.Rechecked) -> None:
        if found.finding is None:
            self.memory.settle(known.cause, FIXED)
            self.fixed.append(known.finding.summary)
            return
        name = cause(found.finding)
        if name != known.cause:
            self.memory.settle(known.cause, OUTDATED)
        self.moved += found.moved
        self.memory.keep_finding(name, found.finding, found.look)
        self._shows(name, found.finding, found.look, moved=found.moved)

    def _shows(self, name: str, finding: Finding, look: str, *, moved: bool = False) -> None:
        self.there += not moved
        self.findings[name] = finding
        if look:
            self.looks[look] = finding_size(finding)[0]
            self.explained[look] = name

    def sentences(self) -> list[str]:
        """Return the notes for the report."""
        said = []
        if self.there or self.moved:
            moved = f", {self.moved} moved (they show in another way now)" if self.moved else ""
            said.append(f"known from earlier runs: {self.there} still there{moved}")
        return [*said, *(f"fixed since an earlier run: {summary}" for summary in self.fixed)]


def content_of(result: CheckResult, replays: Replays, at: float) -> dict[str, Any]:
    """Return what is stored about a run, to be reused if nothing changes until the next one."""
    about_memory = set(replays.sentences())
    more = {name: value for name, value in result.more.items() if name not in ("root", "sources")}
    return {
        "verdict": result.verdict, "stats": result.stats, "stopped_by": result.stopped_by, "more": more,
        "reason": result.reason,
        "notes": [note for note in result.notes if note not in about_memory],
        "causes": sorted(map(cause, result.findings)), "at": at,
    }  # fmt: skip


def result_of_known(
    content: Mapping[str, Any], name: str, seed: int, model: str, replays: Replays
) -> CheckResult | None:
    """Return the result of a run that would have the same result again.

    None if the stored result does not match the findings that replay.
    """
    try:
        if not set(content["causes"]) <= replays.findings.keys():
            return None
        stats: CheckStats = content["stats"] | {"tests_known": content["stats"]["tests"]}
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(content["at"]))
        counts = f"{counted(int(stats['tests']), 'test')} and {counted(int(stats['schedules']), 'schedule')}"
        notes = [
            f"nothing has changed since {when}: {counts} of that run were not explored again; --fresh explores them",
            *replays.sentences(), *map(str, content["notes"]),
        ]  # fmt: skip
        findings = grouped(replays.findings.values(), weight)
        known = "inconclusive" if content["verdict"] == "inconclusive" else "none"
        return CheckResult(
            "check", name, "violation" if findings else known, seed=seed, model=model, findings=findings, stats=stats,
            stopped_by=str(content["stopped_by"]), notes=notes,
            more=content["more"] | {"remembered": replays.sentences()}, reason=str(content["reason"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, OSError):
        return None
