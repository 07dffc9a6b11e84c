"""The result of `plait check` as text: the findings, what was done, and which pairs of methods ran concurrently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plait.model.command_results import CheckResult
from plait.model.counted import counted
from plait.model.finding import Finding
from plait.report.closing import note_lines, statement_lines
from plait.report.finding_text import finding_lines
from plait.report.layout import Layout, Line, Span, indented, prose

SHOWN, LISTED = 5, 20  # findings in full, and those with at least a line


def check_text(result: CheckResult, layout: Layout = Layout()) -> list[Line]:  # noqa: B008 - immutable
    """Return the result as people read it."""
    lines: list[Line] = []
    if result.findings and result.more.get("mentions_threads") is False:
        owner = result.subject.rpartition(":")[2] or result.subject
        said = f"{owner} does not claim to be thread-safe: there is no lock and no word of threads in its module"
        lines += [*prose(f"{said}, nor in the package's documents.", layout), []]
    total = len(result.findings)
    groups = [[number] for number in range(1, total + 1)] if layout.full else _groups(result.findings)
    in_full, listed = (total, total) if layout.full else (SHOWN, LISTED)
    for numbers in groups[:in_full]:
        lines += finding_lines(result.findings[numbers[0] - 1], layout, numbers[0], total)
        if len(numbers) > 1:
            mend, more = result.findings[numbers[0] - 1].mend, len(numbers) - 1
            others = f"{_numbered(numbers[1:])} {'reaches it another way' if more == 1 else 'reach it in other ways'}"
            them = "it" if more == 1 else "them"
            lines += prose(f"To mend: {mend}. {others.capitalize()} (--full shows {them}).", layout, indent=2)
        lines.append([])
    for numbers in groups[in_full:listed]:
        others = f" (and {len(numbers) - 1} more to reach it)" if len(numbers) > 1 else ""
        summary = f"[{numbers[0]}/{total}] {result.findings[numbers[0] - 1].summary}{others}"
        lines += prose(summary, layout, "bad", hang=4)
    if len(groups) > listed:
        lines += prose(f"... and {sum(map(len, groups[listed:]))} more", layout)
    if len(groups) > in_full:
        lines += prose(f"--full shows all of them as the first {in_full}.", layout)
    lines += [[]] if len(groups) > in_full else []
    lines += statement_lines(result, check_statement(result), layout)
    pairs = result.more.get("pairs", [])
    drawn = [
        curve(result.more.get("coverage_over_time", []), len(pairs), min(WIDTH, layout.width - 40)),
        *matrix(pairs),
    ]
    lines += indented([[Span(line)] for line in drawn if line])
    return [*lines, *note_lines(result, layout)]


def _groups(findings: Sequence[Finding]) -> list[list[int]]:
    """Return the numbers of the findings, from 1, those that are mended in one place together."""
    found: dict[object, list[int]] = {}
    for number, finding in enumerate(findings, 1):
        found.setdefault(finding.group or f"finding {number}", []).append(number)
    return list(found.values())


def _numbered(numbers: Sequence[int]) -> str:
    return f"finding {numbers[0]}" if len(numbers) == 1 else f"findings {numbers[0]} to {numbers[-1]}"


_ENDED = {
    "budget": "limit reached", "finding": "ended a while after the last new finding", "exhausted": "all tests tried",
    "interrupt": "interrupted",
}  # fmt: skip


def check_statement(result: CheckResult) -> list[str]:
    """Return what was tested and what it covers: a pass is evidence, so the statement says for what."""
    stats = result.stats
    found = len(result.findings)
    places = len(_groups(result.findings))
    mended = f", to be mended in {counted(places, 'place')}," if places < found else ""
    violations = f"{counted(found, 'thread-safety violation')}{mended}"
    said = violations if found else "No thread-safety violation found" if stats["tests"] else "No test could be run"
    if result.verdict == "inconclusive" and stats["tests"]:
        said = "No conclusion"
    reason = [f"Why: {result.reason}."] if result.verdict == "inconclusive" and result.reason else []
    exhausted = stats.get("tests_exhausted", 0)
    # A test is left where it shows a violation: where all do, a bare 0 would read as if the search had been poor.
    complete = f"; {counted(exhausted, 'test')} explored completely" if exhausted or not found else ""
    new = "new " if stats.get("tests_known") else ""  # those of known tests were run earlier
    done = f"{counted(stats['tests'], 'test')}, {counted(stats['schedules'], f'{new}schedule')}{complete}"
    count, covered = stats["method_pairs"], stats["method_pairs_covered"]
    which = "the one pair" if count == covered == 1 else f"{covered} of {count} pairs"
    pairs = f"{which} of methods ran concurrently."
    return [
        f"{said} in {result.subject} ({result.elapsed_s:.1f} s; {_ENDED.get(result.stopped_by, result.stopped_by)}).",
        *reason,
        f"{done}; {pairs}",
    ]


# -- coverage ----------------------------------------------------------------------------------------------------------
# Which pairs of methods ran concurrently, and how that grew, as a small picture for the terminal.


_MOST_METHODS = 16  # a larger matrix fits no terminal
WIDTH = 40
_BARS = "▁▂▃▄▅▆▇█"
COVERED, TRIED, OPEN = "●", "○", "·"


def curve(coverage: Sequence[Sequence[float]], pairs: int, wide: int = WIDTH) -> str:
    """Return one line: covered pairs over time, from nothing to all of them."""
    if not coverage or pairs < 2:
        return ""
    end = max(coverage[-1][0], 1e-9)
    marks = []
    for column in range(wide):
        until = end * (column + 1) / wide
        covered = max((count for when, count in coverage if when <= until), default=0)
        marks.append(_BARS[min(len(_BARS) - 1, int(covered * len(_BARS) / pairs))])
    return f"pairs covered over {end:.0f} s: {''.join(marks)} {coverage[-1][1]:.0f} of {pairs}"


def matrix(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lower triangle of the method pairs: covered, tried or neither.

    Nothing for a class with many methods.
    """
    names = sorted({name for row in pairs for name in row["methods"]})
    if not 1 < len(names) <= _MOST_METHODS:
        return []
    marks = {frozenset(row["methods"]): COVERED if row["covered"] else TRIED if row["tried"] else OPEN for row in pairs}
    wide = max(map(len, names))
    lines = [
        f"{name:>{wide}} {' '.join(marks.get(frozenset((name, other)), ' ') for other in names[: number + 1])}"
        for number, name in enumerate(names)
    ]
    return [*lines, f"{COVERED} ran concurrently   {TRIED} tried   {OPEN} not tried"]
