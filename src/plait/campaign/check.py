"""`plait check`: from a class name to thread-safety violations, or to an honest statement of what was covered.

Streams of tests run in worker processes, chunk by chunk (see `plait.campaign.stream`). With ``--max-tests`` the chunks,
and so the findings, are the same whatever the number of workers and the speed of the machine; with a wall-clock budget
only their number depends on it.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from plait.campaign import tasks
from plait.campaign.adaptive import Tally
from plait.campaign.check_causes import cause, size, weight
from plait.campaign.check_notes import Notes
from plait.campaign.check_options import CheckOptions, from_namespace
from plait.campaign.failures import WorkerCrashed, WorkerHung
from plait.campaign.interrupt import Interrupt
from plait.campaign.spec import WorkerSpec
from plait.campaign.stream import Chunk, StreamOptions, probes_of
from plait.campaign.workers import Workers
from plait.errors import UsageError
from plait.explore.capp_partition import Aim
from plait.generate.hints import Hints
from plait.judge.rules import may_wait
from plait.model.finding import Finding
from plait.model.result import Result
from plait.model.test import Call
from plait.report.publish import publish
from plait.report.sources import sources, steps_of
from plait.subject.impact_versions import impact_between
from plait.subject.interface import Interface
from plait.subject.name import Subject
from plait.subject.version import Version, resolve

CHUNK_TESTS = 25
CHUNK_SECONDS = 2.0
LONGEST_CHUNK = 60.0  # a chunk may end in a long minimisation
STALL = 12.0  # seconds that one test may take: they take milliseconds
AFTER_FOUND = 10.0  # seconds to look for other causes once something was found
GRACE = 2.0  # seconds that chunks under way get when time is up


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    asked = from_namespace(options)
    with Interrupt() as interrupt:
        result = check(asked, interrupt)
    publish(result, options, asked.project)
    if result.stopped_by == "interrupt":
        return 130
    if result.findings:
        return 1
    return 0 if result.stats["tests"] else 3


def cache_root() -> Path:
    """Where releases are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plait" / "releases"


@contextmanager
def workers_for(
    subject: Subject, version: Version, *, count: int, allow: tuple[str, ...] = (), hook: Path | None = None
) -> Iterator[Workers]:
    """Worker processes that have one version of the subject, and can import the user's hook file."""
    spec = WorkerSpec(
        module=subject.module, qualname=subject.qualname, file=subject.file if version.kind == "worktree" else None,
        roots=(version.root, *([hook.resolve().parent] if hook is not None else ())), paths=tuple(version.extra),
        allow=frozenset(allow),
    )  # fmt: skip
    with Workers(spec, count=count) as workers:
        yield workers


def check(options: CheckOptions, interrupt: Interrupt | None = None) -> Result:
    """Look for violations until the budget is used up."""
    started = time.monotonic()
    with resolve(options.at, project=options.project, cache=cache_root(), subject=options.subject) as version:
        with workers_for(
            options.subject, version, count=options.workers, allow=options.allow, hook=options.hook
        ) as workers:
            campaign = _Campaign(options, workers, started, interrupt, _aim(options, version))
            campaign.run()
        label = version.label
        root = version.root if version.kind in ("worktree", "folder") else None
        result = campaign.result()
        result.more["sources"] = sources(steps_of(result.findings))
    result.versions = {"at": label}
    if root is not None:
        result.more["root"] = str(root)
    result.elapsed_s = time.monotonic() - started
    return result


def _aim(options: CheckOptions, version: Version) -> Aim | None:
    """What the executions look at first."""
    if options.capp in (None, "none"):
        return None
    with resolve(options.old, project=options.project, cache=cache_root(), subject=options.subject) as old:
        return Aim(str(options.capp), impact_between(old, version))


class _Campaign:
    """The loop over chunks: hands streams to workers, collects what comes back in the order of the chunks."""

    def __init__(
        self, options: CheckOptions, workers: Workers, started: float, interrupt: Interrupt | None, aim: Aim | None
    ) -> None:
        self._options = options
        self._aim = aim
        self._workers = workers
        self._started = started
        self._interrupt = interrupt
        self._name = f"{options.subject.module}:{options.subject.qualname}".rstrip(":")
        self._findings: dict[Any, Finding] = {}
        self._chunks: list[Chunk] = []
        self._tally = Tally()
        self._pairs: dict[int, dict[tuple[str, ...], tuple[int, int]]] = {}  # each stream counts for itself
        self._coverage: list[tuple[float, int]] = []
        self._so_far: dict[int, int] = {}
        self._looks: dict[Any, int] = {}
        self._schedules = 0
        self._tests = 0
        self._first_found: float | None = None
        self._last_found = 0.0
        self._stopped_by = "budget"
        self._notes = Notes()
        self._excluded: set[str] = set()
        self._again: set[int] = set()  # streams that begin anew, without what has killed their worker
        self._interface: Interface | None = None

    def run(self) -> None:
        options = self._options
        self._interface = self._discover()
        self._notes.general += self._interface.notes
        running: dict[Future[Any], tuple[int, bytes | None, int]] = {}
        budget = self._shares()
        for number in range(options.streams):
            running[self._begin(number)] = (number, None, 0)
        while running:
            done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda each: running[each][0]):
                number, stream, attempt = running.pop(future)
                following = self._collect(future, number, stream, attempt)
                if following is None:
                    if number in self._again and not self._over():
                        self._again.discard(number)
                        running[self._begin(number)] = (number, None, 0)
                    continue
                stream, attempt = following
                made = self._so_far.get(number, 0)
                if self._over() or (budget is not None and made >= budget[number]):
                    continue
                count = CHUNK_TESTS if budget is None else min(CHUNK_TESTS, budget[number] - made)
                left = max(0.5, options.budget - (time.monotonic() - self._started))
                seconds = min(CHUNK_SECONDS, left) if budget is None else LONGEST_CHUNK
                looks = self._looks if budget is None else None  # limits by tests must not depend on timing
                chunk = self._workers.submit(
                    tasks.advance, stream, count, seconds, looks, timeout=LONGEST_CHUNK, stall=STALL
                )
                running[chunk] = (number, stream, attempt)
            if self._over() and budget is None:
                self._give_grace(running)
                break

    def _discover(self) -> Interface:
        try:
            found: Interface = self._workers.attempt(tasks.interface, self._name, timeout=LONGEST_CHUNK).result().value
        except (WorkerCrashed, WorkerHung) as error:
            where = f" at {error.where}" if error.where else ""
            raise UsageError(f"{self._name} cannot be imported: {error.reason}{where}") from None
        return found

    def _give_grace(self, running: dict[Future[Any], tuple[int, bytes | None, int]]) -> None:
        """Time is up: take what the chunks under way bring within a few seconds, and leave the rest."""
        grace = 1.0 if self._interrupt is not None and self._interrupt.requested else GRACE
        done, late = wait(running, timeout=grace)
        for future in sorted(done, key=lambda each: running[each][0]):
            number, stream, attempt = running.pop(future)
            self._collect(future, number, stream, attempt)
        for future in late:
            future.cancel()

    def _shares(self) -> list[int] | None:
        """How many tests each stream makes, if tests are what is limited."""
        total = self._options.max_tests
        if total is None:
            return None
        streams = self._options.streams
        return [total // streams + (number < total % streams) for number in range(streams)]

    def _begin(self, number: int) -> Future[Any]:
        options = self._options
        asked = StreamOptions(
            options.subject.qualname.rpartition(".")[2] or options.subject.module, options.generate, options.seed,
            number, options.streams, options.threads, model=options.model, order=options.order, aim=self._aim,
            rules=options.rules, deeper=options.deeper and options.generate == "covcon",
        )  # fmt: skip
        hints = options.hints
        if self._excluded:
            hints = Hints(hints.imports, hints.factories, hints.values, (*hints.exclude, *sorted(self._excluded)),
                          hints.not_parallel)  # fmt: skip
        return self._workers.submit(tasks.begin, self._name, asked, hints, options.tests, timeout=LONGEST_CHUNK)

    def _collect(
        self, future: Future[Any], number: int, stream: bytes | None, attempt: int
    ) -> tuple[bytes, int] | None:
        """Take what a worker brought; returns the stream to go on with."""
        try:
            answer = future.result()
        except (WorkerCrashed, WorkerHung) as error:
            return self._survive(error, number, stream, attempt)
        self._notes.add_stopped(answer.stopped)
        if isinstance(answer.value, bytes):
            return answer.value, 0
        stream, chunk = answer.value
        self._so_far[number] = chunk.so_far
        self._add(number, chunk)
        return None if chunk.over else (stream, 0)

    def _survive(
        self, error: WorkerCrashed | WorkerHung, number: int, stream: bytes | None, attempt: int
    ) -> tuple[bytes, int] | None:
        """A worker died: try the chunk once more, then name the culprit and go on without it."""
        kind = "hang" if isinstance(error, WorkerHung) else "crash"
        note = getattr(error, "note", None) or {}
        alone = kind == "hang" and bool(note) and not note.get("suffixes")  # one thread: it will wait again
        if stream is not None and attempt == 0 and not alone:
            return stream, 1
        where = f" at {error.where}" if error.where else ""
        lines = [*note.get("prefix", ()), *(" | ".join(suffix) for suffix in note.get("suffixes", ()))]
        summary = f"{self._name}: {error.reason}{where}, while running: {'; '.join(lines) or 'its import'}"
        culprits = self._culprits(note)
        if kind == "hang" and not note.get("suffixes") and culprits:
            called = f"`{lines[-1]}`" if lines else "a call"
            self._notes.general.append(f"{called} waits{where} for something that is not under control: left out")
        elif ("worker", kind, tuple(lines)) not in self._findings:
            self._findings["worker", kind, tuple(lines)] = Finding(kind, summary, [])
            self._found()
        if culprits - self._excluded:
            self._excluded |= culprits
            self._again.add(number)
        return None

    def _culprits(self, note: dict[str, Any]) -> set[str]:
        """The methods to go on without: those of the threads, or the last one before them; never the constructor."""
        known = {method.name for method in self._interface.methods} if self._interface is not None else set()
        suffixes = note.get("suffixes") or [note.get("prefix", ())[1:][-1:]]
        return {Call.from_line(line).method for suffix in suffixes for line in suffix} & known

    def _found(self) -> None:
        self._last_found = time.monotonic() - self._started
        self._first_found = self._last_found if self._first_found is None else self._first_found

    def _add(self, number: int, chunk: Chunk) -> None:
        self._chunks.append(chunk)
        self._tally.add(chunk.gain)
        self._tests += chunk.tests
        self._schedules += chunk.schedules
        pairs = self._pairs.setdefault(number, {})
        for row in chunk.pairs:
            pairs[tuple(row["methods"])] = (row["tried"], row["covered"])
        covered = sum(done > 0 for _tried, done in self._matrix().values())
        self._coverage.append((round(time.monotonic() - self._started, 2), covered))
        self._looks.update(chunk.looks)
        self._notes.undetermined.update(chunk.undetermined)
        self._notes.unreadable += len(chunk.unusable)
        self._notes.diverged += chunk.diverged
        for finding in chunk.findings:
            key = cause(finding)
            known = self._findings.get(key)
            if known is None:
                self._findings[key] = finding
                self._found()
            elif size(finding) < size(known):
                finding.occurrences = known.occurrences + 1
                self._findings[key] = finding
            else:
                known.occurrences += 1

    def _matrix(self) -> dict[tuple[str, ...], tuple[int, int]]:
        """How often each pair of methods was tried and ran concurrently, in all streams."""
        found: dict[tuple[str, ...], tuple[int, int]] = {}
        for pairs in self._pairs.values():
            for pair, (tried, done) in pairs.items():
                before = found.get(pair, (0, 0))
                found[pair] = (before[0] + tried, before[1] + done)
        return found

    def _rules(self) -> dict[str, Any]:
        waiting = may_wait(self._interface) if self._interface is not None else ()
        return replace(self._options.rules, waiting=waiting).as_json()

    def _over(self) -> bool:
        options = self._options
        now = time.monotonic() - self._started
        if self._interrupt is not None and self._interrupt.requested:
            self._stopped_by = "interrupt"
            return True
        if options.max_schedules is not None and self._schedules >= options.max_schedules:
            return True
        if options.max_tests is not None:
            return False
        if self._first_found is not None and now > self._last_found + max(AFTER_FOUND, self._last_found):
            self._stopped_by = "finding"
            return True
        return now >= options.budget

    def result(self) -> Result:
        """What the campaign found and covered."""
        options = self._options
        findings = sorted(self._findings.values(), key=weight)
        pairs = self._matrix()
        covered = sum(done > 0 for _tried, done in pairs.values())
        elapsed = max(time.monotonic() - self._started, 1e-9)
        stats = {
            "tests": self._tests, "schedules": self._schedules, "executions_per_s": round(self._schedules / elapsed, 1),
            "method_pairs": len(pairs), "method_pairs_covered": covered, **self._tally.stats(),
            "tests_exhausted": sum(chunk.exhausted for chunk in self._chunks),
            "seconds_to_first": None if self._first_found is None else round(self._first_found, 2),
            "impacted_points": 0 if self._aim is None else len(self._aim.impact),
            "tests_to_first": min((chunk.first for chunk in self._chunks if chunk.first is not None), default=None),
        }  # fmt: skip
        if findings and self._stopped_by == "budget" and options.max_tests is None:
            self._stopped_by = "finding" if self._first_found is not None else "budget"
        ended = sum(chunk.over for chunk in self._chunks)
        if not findings and self._chunks and ended >= options.streams:
            self._stopped_by = "exhausted"
        self._notes.general += self._tally.sentences(options.streams)
        if self._aim is not None:
            self._notes.general += self._aim.impact.notes
            if not self._aim.impact.points:
                self._notes.general.append(f"nothing differs from {options.old}: schedules come in the usual order")
        more = {
            "pairs": [
                {"methods": list(pair), "tried": tried, "covered": done}
                for pair, (tried, done) in sorted(pairs.items())
            ],
            "coverage_over_time": self._coverage,
            "rules": self._rules(),
            "probes": [call.expression for call in probes_of(self._interface)] if self._interface is not None else [],
        }  # fmt: skip
        return Result(
            "check", self._name, "violation" if findings else "none", seed=options.seed, model=options.model,
            findings=findings, stats=stats, stopped_by=self._stopped_by, notes=self._notes.sentences(), more=more,
        )  # fmt: skip
