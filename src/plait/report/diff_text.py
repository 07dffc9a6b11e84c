"""The result of `plait diff` for somebody who has not read the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plait.model.finding import Finding
from plait.model.result import Result
from plait.report.interleaving import WIDTH, as_text, table

_WIDEST = 40  # columns for one part of an outcome


def diff_text(result: Result) -> str:
    """Verdict, finding, outcomes side by side, and what was done."""
    lines: list[str] = []
    for finding in result.findings:
        lines += [*difference_lines(finding, result), ""]
    for each in result.more.get("sequential", ()) if result.verdict == "sequential-difference" else ():
        lines += [*_sequential(each), ""]
    notes = [f"note: {note}" for note in result.notes if note != result.more.get("reason")]
    return "\n".join([*lines, *diff_statement(result), *notes])


def difference_lines(finding: Finding, result: Result) -> list[str]:
    """Return one finding of a result."""
    lines = [finding.summary, ""]
    assert finding.test is not None
    lines += ["  The test:", *(f"      {call.source}" for call in finding.test.prefix)]
    for thread, suffix in enumerate(finding.test.suffixes, 1):
        lines.append(f"      thread {thread}:  {'; '.join(call.source for call in suffix)}")
    if "outcomes" in result.more and finding is result.findings[0]:
        lines += ["", "  Everything it can do, over all interleavings:", *_side_by_side(result)]
    lines.append("")
    switches = "switch" if finding.preemptions == 1 else "switches"
    side, other = ("new", "old") if finding.only_new else ("old", "new")
    lines.append(f"  One way to get there ({side} version, {finding.preemptions} forced thread {switches}):")
    names = {
        thread: "; ".join(call.source for call in suffix) for thread, suffix in enumerate(finding.test.suffixes, 1)
    }
    lines += [f"  {line}" for line in as_text(table(finding.interleaving, names=names, width=WIDTH - 2)).splitlines()]
    lines += [f"  {line}" for line in finding.waiting]
    lines.append("")
    if finding.expected:
        lines.append(f"  One after the other, the call {' or '.join(finding.expected[:4])}.")
    lines += [f"  {line}" for line in _why(finding)]
    if finding.reproducer is not None:
        passes = f"passes on the {other} version, fails on the {side} one"
        lines.append(f"  Regression test ({passes}): {finding.reproducer}")
    return lines


def _why(finding: Finding) -> list[str]:
    lines = []
    if finding.race:
        first, second = finding.race
        lines.append(
            f"Race: {first['access']} at line {first['line']} (thread {first['thread']}) and "
            f"{second['access']} at line {second['line']} (thread {second['thread']})."
        )
    guard = finding.guard
    if guard is not None:
        total = guard["guarded"] + len(guard["unguarded"])
        places = ", ".join(guard["unguarded"][:4])
        lines.append(
            f"Guard: `{guard['field']}` is accessed under `{guard['lock']}` at {guard['guarded']} of {total} places; "
            f"not at {places}."
        )
    if finding.detail:
        lines.append(finding.detail[0].upper() + finding.detail[1:] + ".")
    gil = finding.reachable.get("gil")
    if gil:
        said = "Can happen today, on builds with the GIL as well as on free-threaded ones."
    elif gil is False:
        said = "Only on free-threaded builds: no switch that the GIL allows leads to it."
    else:
        said = "On free-threaded builds; whether a GIL build can show it was not decided."
    return [*lines, said + (" Confirmed on OS threads." if finding.confirmed_on_threads else "")]


def _side_by_side(result: Result) -> list[str]:
    """Return every outcome of either version in a row, with the versions that have it."""
    shown = outcome_table(result.more)
    rows = [shown.head, *shown.rows]
    cut = [[text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…" for text in row] for row in rows]
    widths = [max(len(row[column]) for row in cut) for column in range(len(shown.head))]
    cut.insert(1, ["-" * width for width in widths])
    lines = ["      " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in cut]
    return [*lines, *(f"      {note}" for note in shown.notes)]


def _sequential(each: dict[str, Any]) -> list[str]:
    test = each["test"]
    lines = ["The versions differ already when one call runs after another:", ""]
    lines += [f"      {line}" for line in test["prefix"]]
    lines += [f"      {line}" for suffix in test["suffixes"] for line in suffix]
    return [*lines, "", f"  `{each['call']}` {each['old']} before the change, and {each['new']} after it."]


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def diff_statement(result: Result) -> list[str]:
    """Return what was done and how far it reaches: a pass is evidence, so it says of what."""
    stats = result.stats
    said = {
        "difference": "Behaviour that only one version can show",
        "sequential-difference": "A warning, no concurrency difference",
        "none": "No difference found",
        "inconclusive": "No conclusion: what ran is no evidence",
    }[result.verdict]
    against = f"{result.versions['old']} against {result.versions['new']}"
    lines = [f"{said}: {result.subject}, {against} ({result.elapsed_s:.1f} s)."]
    if result.verdict == "inconclusive":
        lines.append(f"Why: {result.more['reason']}.")
    if not stats["changed_pairs"]:
        lines.append("No public method of the class is touched by the change.")
    else:
        lines.append(
            f"{_many(stats['changed_methods'], 'changed method')} in {_many(stats['changed_pairs'], 'pair')}; "
            f"{_many(stats['tests_generated'], 'test')} made, {stats['tests_filtered']} of them cannot interleave "
            f"differently, {stats['checks']} explored on both versions ({_many(stats['schedules'], 'schedule')})."
        )
        if stats.get("tests_unchecked"):
            lines.append(f"{_many(stats['tests_unchecked'], 'test')} could not be explored within the budget.")
    return lines


# -- outcomes ----------------------------------------------------------------------------------------------------------
# What the two versions of a comparison can do, outcome by outcome, as one table.


MOST_ROWS = 12
MOST_PARTS = 3


class OutcomeTable(NamedTuple):
    """Plain text. The last two columns say which version has the outcome: ``yes`` or ``never``."""

    head: list[str]
    rows: list[list[str]]
    notes: list[str]


def outcome_table(more: Mapping[str, Any]) -> OutcomeTable:
    """From the fields ``outcomes`` and ``outcomes_complete`` of a result; what only one version has comes first."""
    outcomes = more.get("outcomes", {})
    old, new = outcomes.get("old", []), outcomes.get("new", [])
    every = [*new, *(each for each in old if each not in new)]
    every.sort(key=lambda each: (each in old, each in new))
    state = _varying(every, "state") or _varying(every, "afterwards")
    calls = _varying(every, "calls")
    head = [*(call.partition(": ")[2] for call in calls), *state, "before", "after"]
    rows = []
    for each in every[:MOST_ROWS]:
        left = {**each.get("state", {}), **each.get("afterwards", {})}
        marks = ["yes" if each in old else "never", "yes" if each in new else "never"]
        results = [each["calls"][call].removeprefix("returns ") for call in calls]
        rows.append([*results, *(left.get(path, "-") for path in state), *marks])
    notes = [f"... {len(every) - MOST_ROWS} more"] if len(every) > MOST_ROWS else []
    complete = more.get("outcomes_complete", {})
    if not all(complete.values()):
        unfinished = " and ".join(name for name, whole in complete.items() if not whole)
        notes.append(f"({unfinished}: not all interleavings were executed, there may be more)")
    return OutcomeTable(head, rows, notes)


def _varying(outcomes: Sequence[Mapping[str, Any]], part: str) -> list[str]:
    """The attributes (or answers) that are not the same in all outcomes."""
    values: dict[str, set[str]] = {}
    for each in outcomes:
        for path, value in each.get(part, {}).items():
            values.setdefault(path, set()).add(value)
    return [path for path, seen in values.items() if len(seen) > 1][:MOST_PARTS]
