"""The result of `plait diff` as text, for readers who have not read the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plait.model.command_results import DiffResult, SequentialRow
from plait.model.counted import counted
from plait.model.finding import Finding
from plait.report.closing import closing_lines
from plait.report.finding_text import (
    INDENT,
    preemptions_of,
    test_lines,
    waiting_lines,
    why_lines,
    with_interleaving,
)
from plait.report.layout import Layout, Line, Span, prose


def diff_text(result: DiffResult, layout: Layout = Layout()) -> list[Line]:  # noqa: B008 - immutable
    """Return verdict, finding, outcomes side by side, and what was done."""
    lines: list[Line] = []
    for finding in result.findings:
        lines += [*difference_lines(finding, result, layout), []]
    for each in result.more.get("sequential", ()) if result.verdict == "sequential-difference" else ():
        lines += [*_sequential(each, layout), []]
    return [*lines, *closing_lines(result, diff_statement(result), layout)]


def difference_lines(finding: Finding, result: DiffResult, layout: Layout) -> list[Line]:
    """Return one finding of a result."""
    before = [*prose(finding.summary, layout, "bad"), [], *test_lines(finding, layout)]
    if "outcomes" in result.more and finding is result.findings[0]:
        before += prose("Everything it can do, over all interleavings:", layout, "title", indent=INDENT)
        before += [*_side_by_side(result, layout), []]
    side, other = ("new", "old") if finding.only_new else ("old", "new")
    after = [*waiting_lines(finding, layout), *why_lines(finding, layout)]
    if finding.detail:
        after += prose(finding.detail[0].upper() + finding.detail[1:] + ".", layout, indent=INDENT)
    if finding.reproducer is not None:
        passes = f"passes on the {other} version, fails on the {side} one"
        after += prose(f"Regression test ({passes}): {finding.reproducer}", layout, indent=INDENT)
    title = f"One way to get there ({side} version, {preemptions_of(finding)}):"
    return with_interleaving(finding, layout, before, title, after)


def _side_by_side(result: DiffResult, layout: Layout) -> list[Line]:
    """Return every outcome of either version, with the versions that have it: in columns where they fit."""
    shown = outcome_table(result.more)
    rows = [shown.head, *shown.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(shown.head))]
    start = INDENT + 4
    if start + sum(widths) + 2 * (len(widths) - 1) <= layout.width:
        rows.insert(1, ["-" * width for width in widths])
        texts = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        lines = [[Span(f"{' ' * start}{text}")] for text in texts]
    else:
        lines = _listed(shown, layout, start)
    return [*lines, *(line for note in shown.notes for line in prose(note, layout, "note", indent=start))]


_HAVE_IT = {("never", "yes"): "only after the change:", ("yes", "never"): "only before the change:"}


def _listed(shown: OutcomeTable, layout: Layout, start: int) -> list[Line]:
    """Return the outcomes by the versions that have them, each as a sentence."""
    lines: list[Line] = []
    told = ""
    for row in shown.rows:
        who = _HAVE_IT.get((row[-2], row[-1]), "before and after:")
        if who != told:
            lines += prose(who, layout, indent=start)
            told = who
        parts = [f"{name}: {value}" for name, value in zip(shown.head[:-2], row[:-2], strict=True)]
        lines += prose(f"- {'; '.join(parts)}", layout, indent=start, hang=2)
    return lines


def _sequential(each: SequentialRow, layout: Layout) -> list[Line]:
    test = each["test"]
    lines = [*prose("The versions differ already when one call runs after another:", layout, "bad"), []]
    calls = [*test["prefix"], *(line for suffix in test["suffixes"] for line in suffix)]
    for call in calls:
        lines += prose(call, layout, indent=INDENT + 4, hang=4)
    said = f"`{each['call']}` {each['old']} before the change, and {each['new']} after it."
    return [*lines, [], *prose(said, layout, indent=INDENT)]


def _skipped(count: int) -> str:
    they = "it" if count == 1 else "they"
    return f"{count} of them skipped because {they} cannot interleave differently" if count else "none skipped"


def _rest(result: DiffResult) -> str:
    """Return what became of tests that were neither skipped nor explored: without it, the numbers do not add up."""
    stats = result.stats
    done = stats["tests_filtered"] + stats["checks"] + stats.get("tests_unchecked", 0)
    left = result.verdict == "difference" and done < stats["tests_generated"]
    return "; the rest was left when it was found" if left else ""


def diff_statement(result: DiffResult) -> list[str]:
    """Return what was tested and what it covers: a pass is evidence, so the statement says for what."""
    stats = result.stats
    said = {
        "difference": "Behaviour that only one version can show",
        "sequential-difference": "A warning, no concurrency difference",
        "none": "No difference found",
        "inconclusive": "No conclusion",
    }[result.verdict]
    against = f"{result.versions['old']} against {result.versions['new']}"
    lines = [f"{said}: {result.subject}, {against} ({result.elapsed_s:.1f} s)."]
    if result.verdict == "inconclusive":
        lines.append(f"Why: {result.reason}.")
    if not stats["changed_pairs"]:
        lines.append("No public method of the class is touched by the change.")
    else:
        lines.append(
            f"{counted(stats['changed_methods'], 'changed method')} in {counted(stats['changed_pairs'], 'pair')}; "
            f"{counted(stats['tests_generated'], 'test')} made, {_skipped(stats['tests_filtered'])}, "
            f"{stats['checks']} explored on both versions ({counted(stats['schedules'], 'schedule')}){_rest(result)}."
        )
        if stats.get("tests_unchecked"):
            lines.append(f"{counted(stats['tests_unchecked'], 'test')} could not be explored within the budget.")
    return lines


# -- outcomes ----------------------------------------------------------------------------------------------------------
# What the two versions of a comparison can do, outcome by outcome, as one table.


_MOST_ROWS = 12
MOST_PARTS = 3


class OutcomeTable(NamedTuple):
    """Plain text. The last two columns say which version has the outcome: ``yes`` or ``never``."""

    head: list[str]
    rows: list[list[str]]
    notes: list[str]


def outcome_table(more: Mapping[str, Any]) -> OutcomeTable:
    """Return ``outcomes`` and ``outcomes_complete`` of a result as a table; what only one version has comes first."""
    outcomes = more.get("outcomes", {})
    old, new = outcomes.get("old", []), outcomes.get("new", [])
    every = [*new, *(each for each in old if each not in new)]
    every.sort(key=lambda each: (each in old, each in new))
    state = _varying(every, "state") or _varying(every, "afterwards")
    calls = _varying(every, "calls")
    same = ["returned"] if len({each.get("objects") for each in every}) > 1 else []
    head = [*(call.partition(": ")[2] for call in calls), *state, *same, "before", "after"]
    rows = []
    for each in every[:_MOST_ROWS]:
        left = {**each.get("state", {}), **each.get("afterwards", {})}
        marks = ["yes" if each in old else "never", "yes" if each in new else "never"]
        results = [each["calls"][call].removeprefix("returns ") for call in calls]
        objects = [each.get("objects", "-") for _each in same]
        rows.append([*results, *(left.get(path, "-") for path in state), *objects, *marks])
    notes = [f"... {len(every) - _MOST_ROWS} more"] if len(every) > _MOST_ROWS else []
    complete = more.get("outcomes_complete", {})
    if not all(complete.values()):
        unfinished = " and ".join(name for name, whole in complete.items() if not whole)
        notes.append(f"({unfinished}: not all interleavings were executed, there may be more)")
    return OutcomeTable(head, rows, notes)


def _varying(outcomes: Sequence[Mapping[str, Any]], part: str) -> list[str]:
    """Return the attributes (or answers) that are not the same in all outcomes."""
    values: dict[str, set[str]] = {}
    for each in outcomes:
        for path, value in each.get(part, {}).items():
            values.setdefault(path, set()).add(value)
    return [path for path, seen in values.items() if len(seen) > 1][:MOST_PARTS]
