"""The review of one class: what the steps found, and which of the findings the change has introduced."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from plait.judge.performance.result import Comparison
from plait.model.command_results import CheckResult, DiffResult, ExploreResult
from plait.model.finding import Finding
from plait.model.result import Result
from plait.subject.changes.locks import LockChange
from plait.subject.changes.survey import TouchedClass


@dataclass(slots=True)
class Brought:
    """A finding that the change has introduced, and further findings with the same cause."""

    command: str
    finding: Finding
    also: list[Finding] = field(default_factory=list)


def mark_cause(brought: Brought) -> None:
    """Copy to the shown finding the baseline status of a failing one with the same cause.

    A run fails for each finding that is new or expired, even if it is only listed with another of the same cause. The
    shown finding must not be reported as known then.
    """
    failing = (each.baseline for each in brought.also if each.baseline is None or not each.baseline.is_known)
    shown = brought.finding.baseline
    if shown is not None and shown.is_known:
        brought.finding.baseline = next(failing, shown)


@dataclass(slots=True)
class ClassReview:
    """The result of all steps for one class. A step that was not taken is None, and a note says why.

    ``prefix`` is the folder that the class is imported from, relative to the root of the repository.
    """

    touched: TouchedClass
    prefix: str = ""
    locks: list[LockChange] = field(default_factory=list)
    diff: DiffResult | None = None
    check: CheckResult | None = None
    perf: Comparison | None = None
    explored: list[ExploreResult] = field(default_factory=list)
    before: list[Finding] = field(default_factory=list)  # findings that the old version has as well
    notes: list[str] = field(default_factory=list)
    problem: str | None = None  # why nothing could be done
    slower: list[Finding] | None = None  # made only once, so that what is added to these findings later is kept

    @property
    def name(self) -> str:
        """The class as it is written on the command line."""
        return str(self.touched.subject)

    @property
    def verdict(self) -> str:
        """``finding``, ``clean``, or ``inconclusive`` if no step that tests behaviour came to a conclusion.

        Speed says nothing about safety: a class whose speed alone was measured is not clean.
        """
        if self.brought():
            return "finding"
        steps = [each for each in (self.diff, self.check, *self.explored) if each is not None]
        return "clean" if any(each.verdict != "inconclusive" for each in steps) else "inconclusive"

    @property
    def untold(self) -> list[str]:
        """The reasons why steps came to no conclusion, each with the name of the step or test.

        Tests without threads are left out: tests are selected by their imports, so many have nothing to do with
        threads.
        """
        steps: list[tuple[str, Result | None]] = [("diff", self.diff), ("check", self.check)]
        steps += [(f"explore {each.subject}", each) for each in self.explored if not _is_sequential(each)]
        return [
            f"{name}: no conclusion: {step.reason}" for name, step in steps
            if step is not None and step.verdict == "inconclusive" and step.reason
        ]  # fmt: skip

    def brought(self) -> list[Brought]:
        """Return the findings that the change has introduced, one per cause: behaviour first, then speed."""
        found: list[Brought] = []
        lead = [] if self.diff is None else [("diff", each) for each in self.diff.findings if each.only_new]
        violations = [] if self.check is None else [("check", each) for each in self.check.findings]
        failures = [("explore", each) for result in self.explored for each in result.findings]
        for command, finding in (*lead, *violations, *failures):
            if any(finding is each for each in self.before):
                continue
            same = next((each for each in found if _same_cause(each.finding, finding)), None)
            if same is None:
                found.append(Brought(command, finding))
            else:
                same.also.append(finding)
        if self.perf is not None and self.perf.verdict == "regression":
            if self.slower is None:
                self.slower = self.perf.as_result().findings
            found += [Brought("perf", each) for each in self.slower]
        return found

    @property
    def known(self) -> bool:
        """True if there are findings, and all of them are known to the baseline."""
        found = [one for each in self.brought() for one in (each.finding, *each.also)]
        return bool(found) and all(one.baseline is not None and one.baseline.is_known for one in found)

    def step_of(self, finding: Finding) -> str:
        """Return the name of the step that found it."""
        steps = {"diff": self.diff, "check": self.check}
        for name, step in steps.items():
            if step is not None and any(finding is each for each in step.findings):
                return name
        return "explore" if any(finding is each for one in self.explored for each in one.findings) else "perf"

    def changed_place(self) -> dict[str, Any] | None:
        """Return file and line, in the new version, of the first change that the class reaches."""
        change = self.touched.change
        if change is None or not change.new_statements:
            return None
        units = {way[-1].partition(":")[2] for way in change.reasons.values()}
        mine = [each for each in change.new_statements if each.function in units] or list(change.new_statements)
        return {"file": mine[0].file, "line": mine[0].first}

    @property
    def mended(self) -> list[Finding]:
        """Findings that only the old version shows: the change has fixed them."""
        return [] if self.diff is None else [each for each in self.diff.findings if not each.only_new]

    def as_json(self, line: str) -> dict[str, Any]:
        """Return plain data; ``line`` is the verdict as one line of text."""
        steps = {
            "diff": self.diff, "check": self.check, "perf": None if self.perf is None else self.perf.as_result(),
        }  # fmt: skip
        change = self.touched.change
        return {
            "subject": self.name, "verdict": self.verdict, "line": line, "why": self.touched.why,
            "new_class": change is None, "changed": [] if change is None else sorted(change.changed_methods),
            "locks": [{"deed": each.deed, "functions": list(each.functions)} for each in self.locks],
            **{name: None if step is None else step.as_json() for name, step in steps.items()},
            "explore": [each.as_json() for each in self.explored],
            "before": [each.summary for each in self.before], "notes": self.notes, "problem": self.problem,
        }  # fmt: skip


def _same_cause(one: Finding, other: Finding) -> bool:
    """Return whether two findings concern the same shared field or, without racing accesses, the same methods.

    A finding with threads that wait for ever never has the same cause as one without: locks cause it, not a race.
    """
    if _is_stuck(one) != _is_stuck(other):
        return False
    fields, others = (_raced(each) for each in (one, other))
    if fields and others:
        return not fields.isdisjoint(others)
    return not _plain(one).isdisjoint(_plain(other))


def _is_stuck(finding: Finding) -> bool:
    return finding.kind in ("deadlock", "hang") or bool(finding.waiting)


def _raced(finding: Finding) -> set[str]:
    """Return the attributes that the racing accesses touch, without keys."""
    return {step.attribute for step in finding.race or ()}


def _plain(finding: Finding) -> set[str]:
    return {method.rpartition(".")[2] for method in finding.methods}


def _is_sequential(explored: ExploreResult) -> bool:
    """Return whether no test of an ``explore`` step started a thread."""
    tests = explored.more.get("tests", [])
    return bool(tests) and all(each["ran"] == "one thread" for each in tests)
