"""Which of the findings with one cause is shown, and in what order; which methods have lost a worker."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from plait.commands.check.worker.stream import size_of
from plait.judge.oracle.causes import effort_to_reach, other_methods
from plait.model.finding import Finding
from plait.model.test import Call


def weight(finding: Finding) -> tuple[bool, tuple[int, int], bool, int, str, str]:
    """Return a sort key: what can happen today, what users do and what cannot be overlooked come first."""
    only_free = finding.reachable.get("gil") is not True
    overlooked = finding.kind == "wrong-result"
    return (only_free, effort_to_reach(finding), overlooked, finding.preemptions, finding.summary, _text(finding))


def finding_size(finding: Finding) -> tuple[int, int]:
    """Return how much there is to understand."""
    if finding.test is None:  # of a worker that was lost
        return (len(finding.summary), 0)
    return (size_of(finding.test), finding.preemptions)


def better(finding: Finding, other: Finding) -> bool:
    """Return whether ``finding`` is shown for the cause of both: it is smaller, or its method is called by the other's.

    Among equals it does not matter which came first.
    """
    return _rank(finding) < _rank(other)


def _rank(finding: Finding) -> tuple[tuple[int, int], int, list[str], str, str]:
    """Order by names before line numbers: an edit elsewhere must not choose another finding."""
    return finding_size(finding), len(finding.through), finding.methods, finding.summary, _text(finding)


def relate(
    findings: Mapping[str, Finding], seen: Collection[tuple[str, frozenset[str]]], keep: Callable[[str, Finding], None]
) -> None:
    """Say in each finding, by its cause, which other methods have shown it; ``keep`` those that have changed."""
    for cause, finding in findings.items():
        also = other_methods(finding, {names for other, names in seen if other == cause})
        if also and also != finding.siblings:
            finding.siblings = also
            keep(cause, finding)


def without_bystanders(findings: Iterable[Finding]) -> list[Finding]:
    """Return all but lost workers that a smaller set of methods explains: the others only happened to be called."""
    given = list(findings)
    lost = [each for each in given if each.test is None]
    return [
        each for each in given
        if each.test is not None
        or not any(other.kind == each.kind and set(other.methods) < set(each.methods) for other in lost)
    ]  # fmt: skip


def lines_of(note: dict[str, Any]) -> tuple[str, ...]:
    """Return all calls that a worker said it was about to make."""
    return (*note.get("prefix", ()), *itertools.chain(*note.get("suffixes", ())))


def methods_of_finding(note: dict[str, Any]) -> dict[str, str]:
    """Return which method each of these calls is of: `list(x)` does not tell."""
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
    """Return the methods to go on without: those of the threads, or the last one before them; never the constructor.

    Methods that did it before (``suspects``) are enough, and so is the one in which it is known to have happened
    (``where``): the others only happened to be there. ``known`` are the methods of the class; if it can only have been
    one of the ``likely`` ones, the others are spared.
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
