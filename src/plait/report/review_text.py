"""A review for the terminal: the verdict lines first, then what proves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.report.diff_text import difference_lines
from plait.report.explore_text import stories
from plait.report.finding_text import finding_text
from plait.report.perf import text as perf_text
from plait.report.review_line import line

if TYPE_CHECKING:
    from plait.judge.review import ClassReview
    from plait.model.result import Result

_MARKS = {"finding": "FOUND", "clean": "ok", "inconclusive": "?"}


def review_text(result: Result, classes: list[ClassReview]) -> str:
    """Plain text."""
    lines: list[str] = []
    for review in classes:
        for part in _evidence(review):
            lines += [_title(review.name), "", part, ""]
    lines += [f"{_MARKS[review.verdict]:6}{review.name}: {line(review)}." for review in classes]
    lines += [*([""] if classes else []), *statement(result, classes)]
    return "\n".join(lines)


def _title(name: str) -> str:
    return f"-- {name} {'-' * max(3, 96 - len(name))}"


def _evidence(review: ClassReview) -> list[str]:
    """The report of every step that found something."""
    parts = []
    for each in review.brought():
        if each.command == "diff" and review.diff is not None:
            parts.append("\n".join(difference_lines(each.finding, review.diff)))
        elif each.command == "perf" and review.perf is not None:
            parts.append(perf_text(review.perf))
        elif each.command == "explore":
            parts.append("\n".join(text for result in review.explored for text in stories(result)))
        else:
            parts.append(finding_text(each.finding))
        if each.also:
            parts[-1] += "\n\n  The same cause:\n" + "\n".join(f"    - {other.summary}" for other in each.also)
    return parts


def statement(result: Result, classes: list[ClassReview]) -> list[str]:
    """What was reviewed, what was left out, and what was there before."""
    found = sum(len(review.brought()) for review in classes)
    versions = f"{result.versions['old']} to {result.versions['new']}"
    count = f"{len(classes)} class{'' if len(classes) == 1 else 'es'} for several threads"
    if not classes:
        lines = [f"No class that is meant for several threads is touched, {versions}."]
    else:
        none = "no conclusion" if result.verdict == "inconclusive" else "nothing found"
        said = f"{found} finding{'' if found == 1 else 's'}" if found else none
        lines = [f"{versions}: {count}, {said} ({result.elapsed_s:.0f} s)."]
    for review in classes:
        lines += [f"there before the change: {each.summary}" for each in review.before[:3]]
        if review.verdict != "inconclusive":
            lines += [f"{review.name}: {note}" for note in review.notes]
    return [*lines, *(f"note: {note}" for note in result.notes)]
