"""The combined results of all chunks of a check.

Nothing here depends on the order in which chunks arrive: the smallest finding of each cause is kept, counts are added,
and coverage is a union. So a search by steps gives the same totals whichever worker is faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from plait.commands.budget import Budget
from plait.commands.check.causes import better
from plait.commands.check.notes import Notes
from plait.commands.check.worker.adaptive import Tally
from plait.commands.check.worker.stream import Chunk
from plait.commands.progress import Progress
from plait.errors import PlaitBugError, own_error
from plait.judge.oracle.causes import cause
from plait.judge.oracle.evidence import Evidence
from plait.model.command_results import PairRow
from plait.model.finding import Finding
from plait.store.project import Memory

_AFTER_FOUND = 10.0  # seconds to look for other causes after something was found,
_TESTS_AFTER_FOUND = 120  # and tests, because a busy machine would otherwise end the search too soon


@dataclass(slots=True)
class PairCounts:
    """How often each pair of methods was tried and overlapped. A stream reports all of its counts each time."""

    _of: dict[int, dict[tuple[str, ...], tuple[int, int]]] = field(default_factory=dict)  # by stream

    def take(self, number: int, rows: Iterable[Mapping[str, Any]]) -> None:
        """Replace the counts of one stream."""
        self._of[number] = {tuple(row["methods"]): (row["tried"], row["covered"]) for row in rows}

    def rows(self) -> list[PairRow]:
        """Return the sums over all streams as plain data."""
        found: dict[tuple[str, ...], tuple[int, int]] = {}
        for number in sorted(self._of):
            for pair, (tried, covered) in self._of[number].items():
                before = found.get(pair, (0, 0))
                found[pair] = (before[0] + tried, before[1] + covered)
        return [
            {"methods": list(pair), "tried": tried, "covered": covered}
            for pair, (tried, covered) in sorted(found.items())
        ]


@dataclass(slots=True)
class Totals:
    """Findings by cause, counts, coverage and notes. What later runs need is written to ``memory`` at once."""

    budget: Budget
    memory: Memory
    progress: Progress
    findings: dict[str, Finding] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    evidence: Evidence = field(default_factory=Evidence)
    tally: Tally = field(default_factory=Tally)  # of adaptive generators
    pairs: PairCounts = field(default_factory=PairCounts)
    coverage: list[tuple[float, int]] = field(default_factory=list)  # seconds, and pairs covered until then
    looks: dict[str, int] = field(default_factory=dict)
    also: set[tuple[str, frozenset[str]]] = field(default_factory=set)  # causes, with methods that have shown them
    lost: list[dict[str, str]] = field(default_factory=list)  # lost workers, for the result file
    tests: int = 0
    schedules: int = 0
    exhausted: int = 0
    recalled: int = 0
    ended: int = 0  # streams whose generator has nothing new
    # Tests and schedules until the first finding of a stream.
    firsts: list[tuple[int, int]] = field(default_factory=list)
    first_found: float | None = None
    _explored: set[str] = field(default_factory=set)  # keys of the tests that this search has explored
    _last_found: float = 0.0
    _tests_then: int = 0

    def add(self, number: int, chunk: Chunk) -> None:
        """Add a chunk of one stream."""
        self.exhausted += chunk.exhausted
        self.ended += chunk.over
        if chunk.first is not None and chunk.first_schedules is not None:
            self.firsts.append((chunk.first, chunk.first_schedules))
        self.tally.add(chunk.gain)
        self.tests += chunk.tests
        self.schedules += chunk.schedules
        self._explored.update(chunk.units)
        self.recalled += sum(key not in self._explored for key in chunk.recalled)
        self.memory.keep_tests(chunk.units)
        self.pairs.take(number, chunk.pairs)
        pairs = self.pairs.rows()
        covered = sum(row["covered"] > 0 for row in pairs)
        self.coverage.append((round(self.budget.elapsed, 2), covered))
        self.looks.update(chunk.looks)
        self.notes.general += chunk.notes
        self.evidence.add(chunk.evidence)
        self.notes.undetermined.update(chunk.undetermined)
        self.notes.unreadable += len(chunk.unusable)
        self.notes.diverged += chunk.diverged
        for finding in chunk.findings:
            self.take(finding)
        self.also.update(chunk.also)
        self.progress.show(
            tests=self.tests, executions=self.schedules, pairs=len(pairs), covered=covered, findings=len(self.findings)
        )

    def give_up(self, chunks: Iterable[Chunk]) -> None:
        """Add the work of chunks that will be run again; the tests explored for them are then known."""
        for chunk in chunks:
            self.schedules += chunk.schedules
            self._explored.update(chunk.units)
            self.memory.keep_tests(chunk.units)

    def take(self, finding: Finding) -> None:
        """Add a finding, unless a smaller one has the same cause."""
        key = cause(finding)
        known = self.findings.get(key)
        if known is None:
            self.findings[key] = finding
            self.note_found()
        elif better(finding, known):
            finding.occurrences = known.occurrences + 1
            self.findings[key] = finding
        else:
            known.occurrences += 1
        self.memory.keep_finding(key, self.findings[key])

    def note_found(self) -> None:
        """Record that a new cause was found just now."""
        self._last_found, self._tests_then = self.budget.elapsed, self.tests
        self.first_found = self._last_found if self.first_found is None else self.first_found

    def note_own_error(self, error: PlaitBugError, stage: str) -> None:
        """Record an internal error that a worker could not attribute to one test; the other streams continue."""
        note = own_error(stage, error, kept="the rest of the search goes on")
        self.notes.general.append(note)
        self.lost.append({"kind": "plait bug", "summary": note, "trace": str(error)})

    @property
    def is_settled(self) -> bool:
        """True if something was found, but nothing new for as long again, nor in a certain number of tests."""
        tried = self.tests - self._tests_then >= _TESTS_AFTER_FOUND
        long = self.budget.elapsed > self._last_found + max(_AFTER_FOUND, self._last_found)
        return self.first_found is not None and tried and long
