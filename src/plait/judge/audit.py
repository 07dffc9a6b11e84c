"""The verdict on a package: what each public class and function promises about threads, and on what evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from plait.model.command_results import CallRow, CheckResult
from plait.model.finding import Finding
from plait.model.test import Call
from plait.subject.contract import ATOMIC, EXTERNAL, IMMUTABLE, INTERNAL, LOCAL
from plait.subject.package.claims import CLAIMED, DENIED, UNSAID
from plait.subject.package.facts import READ, ClassFacts
from plait.subject.package.suspects import Suspect

UNSAFE, SILENT, UNJUDGED = "unsafe", "no violation", "not judged"
UNKNOWN = "unknown"  # a contract level besides those of `plait.subject.contract`
_LEVELS = {1: "1 - Unstable", 2: "2 - Beta", 3: "3 - Stable"}
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_ENOUGH = 0.9  # share of the public classes and functions that must be judged for "Stable"


@dataclass(slots=True)
class Audited:
    """One public class or function with its verdict.

    ``evidence`` holds the counts that the verdict rests on. Without a verdict, ``reason`` says why there is none and
    what the user can do; ``wants_time`` is true if more time may be enough. ``claim`` is what the source says about
    threads (`plait.subject.package.claims`).

    An unsafe function is ``through_argument`` if the threads of each failing test were given the same object, and the
    function touches no state of its module. Then callers have to lock that object.
    """

    name: str
    kind: str  # "class" or "function"
    file: str
    line: int
    verdict: str = UNJUDGED
    reason: str = ""
    wants_time: bool = False
    claim: str = UNSAID
    through_argument: bool = False
    contract: str = UNKNOWN
    methods: dict[str, str] = field(default_factory=dict)  # contract level by method name
    safe: list[tuple[str, str]] = field(default_factory=list)  # covered pairs of methods without a violation
    unsafe: list[tuple[str, str]] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    suspects: list[Suspect] = field(default_factory=list)
    check: CheckResult | None = None

    @property
    def score(self) -> float:
        """The sum of the suspects' scores: how likely a defect is by the source. The audit spends its budget by it."""
        return sum(each.score for each in self.suspects)

    def as_json(self) -> dict[str, Any]:
        """Return plain data in the form of the result file."""
        return {
            "name": self.name, "kind": self.kind, "file": self.file, "line": self.line,
            "verdict": self.verdict.replace(" ", "_"), "reason": self.reason, "claim": self.claim,
            "through_argument": self.through_argument, "evidence": self.evidence,
            "contract": {
                "level": self.contract, "methods": self.methods, "safe_pairs": [list(pair) for pair in self.safe],
                "unsafe_pairs": [list(pair) for pair in self.unsafe],
            },
            "suspected": [each.as_json() for each in self.suspects],
        }  # fmt: skip


def judge_class(audited: Audited, result: CheckResult, facts: ClassFacts | None) -> None:
    """Set the verdict, contract and evidence of a class from the result of its check."""
    audited.check = result
    audited.findings = list(result.findings)
    audited.reason, audited.wants_time = "", False
    _count(audited, result)
    if result.findings:
        audited.verdict, audited.contract = UNSAFE, EXTERNAL
    elif _cannot_disturb(result, facts):
        audited.verdict, audited.contract = SILENT, IMMUTABLE
    elif result.verdict == "inconclusive" or not result.stats.get("tests"):
        audited.reason = str(result.reason or "; ".join(result.notes[:1]) or "no test could be run")
        audited.wants_time = result.stopped_by == "budget" and not result.stats.get("tests")
        return
    else:
        audited.verdict, audited.contract = SILENT, _promise(facts)
    calls: dict[str, CallRow] = result.stats.get("methods", {})
    harmed = frozenset(name for pair in audited.unsafe for name in pair)
    for name, row in calls.items():
        level = _level(name, facts, harmed, _promise(facts))
        audited.methods[name] = level if row["returned"] else UNKNOWN


def _cannot_disturb(result: CheckResult, facts: ClassFacts | None) -> bool:
    """Return whether a class has no state, and each of its methods has returned while another call was running.

    The check of such a class is inconclusive, because threads must touch shared state for a conclusion. The source
    alone is not enough either: it does not show what a method passes on to other code.
    """
    calls: dict[str, CallRow] = result.stats.get("methods", {})
    beside = bool(calls) and all(row["returned_together"] for row in calls.values())
    return beside and facts is not None and facts.is_stateless


def _level(name: str, facts: ClassFacts | None, harmed: frozenset[str], promise: str) -> str:
    """Return the contract level of one method: by the findings if it is in one, otherwise by the source of the class.

    In a class with findings, a method is not called atomic merely because no test has caught it yet. If it touches
    state that methods change without a lock, callers need a lock around it.
    """
    if name in harmed:
        return EXTERNAL
    touched = facts.touched_by(name.partition(".")[0]) if facts is not None else None
    if not touched:  # its source is unknown, or it works through operators: ``self[key]``
        return EXTERNAL if harmed and (facts is None or not facts.locks) else promise
    written = {use.state for _, use in facts.later_uses() if use.mode != READ} if facts is not None else set()
    open_ = {use.state for use in touched if not use.locks} & written
    unseen = not written and facts is not None and not facts.locks  # the source does not show how it changes
    if harmed and (open_ or unseen):
        return EXTERNAL
    if promise == ATOMIC and not {use.state for use in touched} & written:
        return IMMUTABLE
    return promise


def judge_functions(audited: Sequence[Audited], result: CheckResult) -> None:
    """Set the verdict, contract and evidence of each function from the result of the check of their module."""
    calls: dict[str, CallRow] = result.stats.get("methods", {})
    for each in audited:
        own = each.name.partition(":")[2]
        each.findings = [finding for finding in result.findings if own in map(_plain, finding.methods)]
        each.check = result
        row = calls.get(own)
        _count(each, result, own)
        each.reason, each.wants_time = "", False
        if each.findings:
            each.verdict, each.contract = UNSAFE, EXTERNAL
            each.through_argument = not each.suspects and all(map(_shares_an_argument, each.findings))
        elif row is None or not row["called"]:
            each.reason = "never called: the budget ended before, or nothing fits its parameters"
            each.wants_time = result.stopped_by == "budget"
        elif not row["returned"]:
            each.reason = f"every call raised: {row.get('error', 'no reason given')}; give `values` under [tool.plait]"
        elif not row["returned_together"]:
            each.reason = "its calls returned alone, but never in a test with several threads; give more time or tests"
            each.wants_time = result.stopped_by == "budget"
        else:
            each.verdict, each.contract = SILENT, ATOMIC if each.suspects else IMMUTABLE


def _shares_an_argument(finding: Finding) -> bool:
    """Return whether two threads of a finding's test use the same object that the test has made (not the module)."""
    if finding.test is None:
        return False
    made = {
        call.result: call
        for call in finding.test.prefix
        if call.result and call.result != finding.test.prefix[0].result
    }

    def used(calls: Iterable[Call]) -> set[str]:
        found = {name for call in calls for name in _NAME.findall(call.expression) if name in made}
        return found | (used(made[name] for name in found) if found else set())

    threads = [used(suffix) for suffix in finding.test.suffixes]
    return any(one & other for one, other in combinations(threads, 2))


def _plain(method: str) -> str:
    return method.rpartition(".")[2].rpartition(":")[2]


def _count(audited: Audited, result: CheckResult, only: str | None = None) -> None:
    stats = result.stats
    covered = [tuple(row["methods"]) for row in result.more.get("pairs", ()) if row["covered"]]
    shown = [each for finding in result.findings for each in (finding.methods, *finding.siblings)]
    broken = {tuple(sorted(map(_plain, each)))[:2] for each in shown if each}
    pairs = [(one, other) for one, other in covered if only is None or only in (one, other)]
    audited.unsafe = sorted({(each[0], each[-1]) for each in broken if only is None or only in each})
    audited.safe = [pair for pair in pairs if tuple(sorted(pair)) not in broken]
    every = [row["methods"] for row in result.more.get("pairs", ()) if only is None or only in row["methods"]]
    audited.evidence = {
        "tests": stats.get("tests", 0), "schedules": stats.get("schedules", 0),
        "pairs": len(every), "pairs_covered": len(pairs),
        "complete": result.stopped_by == "exhausted",
        "methods": {name: row for name, row in stats.get("methods", {}).items() if only is None or name == only},
    }  # fmt: skip


def _promise(facts: ClassFacts | None) -> str:
    """Return the contract level that a class without findings seems to have, by its source: locks, reads and writes."""
    if facts is None:
        return ATOMIC
    later = list(facts.later_uses())
    if facts.locks:
        return INTERNAL
    if not facts.changes_itself:
        return LOCAL if facts.local else IMMUTABLE
    if facts.local and all(use.state in facts.local for _, use in later if use.mode != "read"):
        return LOCAL
    return ATOMIC


def supported_level(audited: Sequence[Audited]) -> str:
    """Return the level of the free-threading classifier that the evidence supports.

    A package is Unstable if an unsafe class has locks or claims to be safe, or if a function is unsafe and its callers
    have no object that they could lock. It is Stable only if nearly everything was judged and whatever is unsafe is
    documented to be so. No evidence of a check supports Resilient.
    """
    judged = [each for each in audited if each.verdict != UNJUDGED]
    unsafe = [each for each in judged if each.verdict == UNSAFE]
    if any(each.claim in CLAIMED or _harms_the_module(each) for each in unsafe) or not judged:
        return _LEVELS[1]
    told = all(each.claim == DENIED or each.through_argument for each in unsafe)
    return _LEVELS[3 if told and len(judged) >= _ENOUGH * len(audited) else 2]


def _harms_the_module(audited: Audited) -> bool:
    return audited.kind == "function" and not audited.through_argument
