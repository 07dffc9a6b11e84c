"""One finding for the terminal: what happens, the test, the interleaving, why, and how to see it again.

This module renders the findings of `plait check` and `plait diff`; their common parts have the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plait.model.counted import counted
from plait.model.finding import Finding
from plait.report.interleaving import table
from plait.report.layout import SCREEN, Layout, Line, Span, indented, prose
from plait.report.why import CAUSE, why_sentences

_SHORT_MESSAGE = 60  # characters of what an exception says
INDENT = 2


def finding_lines(finding: Finding, layout: Layout, number: int = 1, total: int = 1) -> list[Line]:
    """Return one finding of `plait check`, on one screen unless everything is wanted."""
    head = f"[{number}/{total}] " if total > 1 else ""
    before = [*prose(f"{head}{title_of(finding)}", layout, "bad", hang=4), [], *test_lines(finding, layout)]
    after = [*waiting_lines(finding, layout), *why_lines(finding, layout)]
    if finding.reproducer is not None:
        after += prose(f"Regression test: {finding.reproducer}", layout, indent=INDENT)
    return with_interleaving(finding, layout, before, f"What happens, {preemptions_of(finding)}:", after)


def title_of(finding: Finding) -> str:
    """Return the summary, with what an exception says if that is short."""
    message = "" if finding.raised_at is None else finding.raised_at.message
    fits = 0 < len(message) <= _SHORT_MESSAGE and finding.summary.endswith(f"can raise {finding.exception}")
    return f"{finding.summary}: {message}" if fits else finding.summary


def with_interleaving(
    finding: Finding, layout: Layout, before: Sequence[Line], title: str, after: Sequence[Line]
) -> list[Line]:
    """Return a finding with its interleaving in the middle, which gets the lines that the rest leaves."""
    if not finding.interleaving:
        return [*before, *after]
    lines = [*before, [Span(" " * INDENT), Span(title, "title")]]
    room = SCREEN - len(lines) - len(after) - 1
    drawn = table(
        finding.interleaving, names=thread_names(finding), racing=finding.race or (), telling=_telling_lines(finding),
        layout=layout.within(INDENT), height=room,
    )  # fmt: skip
    return [*lines, *indented(drawn, INDENT), [], *after]


def _telling_lines(finding: Finding) -> list[tuple[int, str, int]]:
    """Return the lines that the sentences below the steps speak of: of what was interrupted, and what raises."""
    found = []
    if finding.gap is not None:
        gap, name = finding.gap, Path(finding.gap.file).name
        found += [(gap.thread, name, line) for line in (gap.line, gap.end)]
    if finding.raised_at is not None and finding.raised_at.line:
        found.append((0, finding.raised_at.file, finding.raised_at.line))
    return found


def preemptions_of(finding: Finding) -> str:
    """Return how often a thread is interrupted that could go on."""
    count = finding.preemptions
    return f"with {counted(count, 'preemption')}" if count else "without any preemption"


def test_lines(finding: Finding, layout: Layout) -> list[Line]:
    """Return the calls of the test, and an empty line."""
    if finding.test is None:
        return []
    lines: list[Line] = []
    for call in finding.test.prefix:
        lines += prose(call.source, layout, indent=INDENT + 2, hang=4)
    for thread, suffix in enumerate(finding.test.suffixes, 1):
        calls = "; ".join(call.source for call in suffix)
        lines += prose(f"thread {thread}: {calls}", layout, indent=INDENT + 2, hang=4)
    return [*lines, []]


def thread_names(finding: Finding) -> dict[int, str]:
    """Return what each thread does, as its title in the interleaving."""
    suffixes = finding.test.suffixes if finding.test is not None else ()
    return {thread: "; ".join(call.source for call in suffix) for thread, suffix in enumerate(suffixes, 1)}


def waiting_lines(finding: Finding, layout: Layout) -> list[Line]:
    """Return who waits for whom."""
    lines: list[Line] = []
    for text in finding.waiting:
        deeper = len(text) - len(text.lstrip())
        lines += prose(text.lstrip(), layout, "why", indent=INDENT + deeper)
    return lines


def why_lines(finding: Finding, layout: Layout) -> list[Line]:
    """Return what is known about the cause, and where it can happen."""
    return [
        line for text, part in why_sentences(finding)
        for line in prose(text, layout, "why" if part == CAUSE else "", indent=INDENT)
    ]  # fmt: skip
