"""A report in styled lines: what was found stands out, what is only said beside it steps back."""

from __future__ import annotations

from collections.abc import Collection

from plait.report.table import GAP, Line, Span


def styled(said: str, summaries: Collection[str], headline: str, *, good: bool) -> list[Line]:
    """The lines of a report that holds these findings; ``headline`` is its verdict."""
    return [[Span(line, _style(line, summaries, headline, good=good))] for line in said.splitlines()]


def _style(line: str, summaries: Collection[str], headline: str, *, good: bool) -> str:
    text = line.strip()
    if any(text.endswith(summary) and summary for summary in summaries):
        return "bad"
    if text == headline:
        return "good" if good else "bad"
    if text.startswith("note: "):
        return "note"
    if text.startswith(("Guard: ", "Race: ")):
        return "why"
    if text.startswith("thread 1") and GAP in line:
        return "head"
    return "title" if line.startswith("  ") and text.endswith(":") else ""
