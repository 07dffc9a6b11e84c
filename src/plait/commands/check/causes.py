"""Chooses the finding to show for each cause, and their order; finds the method that has cost a worker."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from plait.commands.check.worker.stream import size_of
from plait.judge.oracle.causes import effort_to_reach, other_methods
from plait.model.finding import Finding
from plait.model.test import Call


def weight(finding: Finding) -> tuple[bool, tuple[int, int], bool, int, int, tuple[int, int], str, str]:
    """Return a sort key: findings on builds with the GIL, of calls that users make, and obvious ones come first.

    Of equally grave ones, the simplest to understand comes first: with few switches, few methods and a small test.
    """
    only_free = finding.reachable.get("gil") is not True
    overlooked = finding.kind == "wrong-result"
    simple = (finding.preemptions, len(finding.methods), finding_size(finding))
    return (only_free, effort_to_reach(finding), overlooked, *simple, finding.summary, _text(finding))


def finding_size(finding: Finding) -> tuple[int, int]:
    """Return how much of a finding there is to understand."""
    if finding.test is None:  # the finding is a worker that was lost
        return (len(finding.summary), 0)
    return (size_of(finding.test), finding.preemptions)


def better(finding: Finding, other: Finding) -> bool:
    """Return whether ``finding`` rather than ``other`` is shown for the cause of both.

    That is the smaller one, then the one whose methods wrap fewer others. The result does not depend on which came
    first.
    """
    return _rank(finding) < _rank(other)


def _rank(finding: Finding) -> tuple[tuple[int, int], int, list[str], str, str]:
    """Return a sort key that uses names before line numbers, so that an edit elsewhere does not change the choice."""
    return finding_size(finding), len(finding.through), finding.methods, finding.summary, _text(finding)


def relate(
    findings: Mapping[str, Finding], seen: Collection[tuple[str, frozenset[str]]], keep: Callable[[str, Finding], None]
) -> None:
    """Add to each finding, by its cause, the other methods that have shown it; call ``keep`` for those that change."""
    for cause, finding in findings.items():
        also = other_methods(finding, {names for other, names in seen if other == cause})
        if also and also != finding.siblings:
            finding.siblings = also
            keep(cause, finding)


def without_bystanders(findings: Iterable[Finding]) -> list[Finding]:
    """Drop lost workers that a smaller set of methods explains: the other methods only happened to be in the test."""
    given = list(findings)
    lost = [each for each in given if each.test is None]
    return [
        each for each in given
        if each.test is not None
        or not any(other.kind == each.kind and set(other.methods) < set(each.methods) for other in lost)
    ]  # fmt: skip


def lines_of(note: dict[str, Any]) -> tuple[str, ...]:
    """Return all calls in a worker's note of what it was about to run."""
    return (*note.get("prefix", ()), *itertools.chain(*note.get("suffixes", ())))


def methods_of_finding(note: dict[str, Any]) -> dict[str, str]:
    """Return the method of each of these calls: the text alone does not show it, as in `list(x)`."""
    lines = lines_of(note)
    names = note.get("methods") or [_method_of(line) for line in lines]
    return dict(zip(lines, names, strict=False))


def _method_of(line: str) -> str:
    try:
        return Call.from_line(line).method
    except (SyntaxError, ValueError, IndexError, RecursionError, MemoryError):  # no call: code under test wrote it
        return line


def culprits_of(
    note: dict[str, Any], suspects: set[str], where: str, known: set[str], likely: Collection[str] = ()
) -> set[str]:
    """Return the methods to leave out after a worker was lost; never the constructor.

    These are the methods that the threads called, or the last call of the prefix. If some of them have cost a worker
    before (``suspects``), only those are blamed; otherwise the one that was running at ``where``, if that is known,
    otherwise the ``likely`` ones. ``known`` are the methods of the class.
    """
    method = methods_of_finding(note)
    called = set(method.values())
    if called & suspects:
        return called & suspects
    if where.rpartition(" in ")[2] in called & known:
        return {where.rpartition(" in ")[2]}
    if called & known & set(likely):
        return called & known & set(likely)
    suffixes = note.get("suffixes") or [note.get("prefix", ())[1:][-1:]]
    return {method[line] for suffix in suffixes for line in suffix} & known


def _text(finding: Finding) -> str:
    plain = {**finding.as_json(), "occurrences": 0, "reproducer": None, "siblings": None, "group": 0, "mend": ""}
    return json.dumps(plain, sort_keys=True, default=str)
