"""A review as a comment on a pull request: a table of verdicts, then each finding with its interleaving folded up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plait.report.review_line import line
from plait.report.review_text import statement
from plait.report.table import as_text, table

if TYPE_CHECKING:
    from plait.judge.review import Brought, ClassReview
    from plait.model.finding import Finding
    from plait.model.result import Result

_SIGNS = {"finding": "❌", "clean": "✅", "inconclusive": "❔"}
_SPECIAL = re.compile(r"([\\*_\[\]<>|#~])")
MARKER = "<!-- plait review -->"
"""The first line, by which a later run finds the comment that it replaces."""


def review_markdown(result: Result, classes: list[ClassReview]) -> str:
    """GitHub-flavoured; nothing of the code under test becomes markup."""
    found = any(review.brought() for review in classes)
    none = "plait: no conclusion" if result.verdict == "inconclusive" else "plait: nothing found"
    head = "plait: this change is not safe or not as fast under threads" if found else none
    lines = [MARKER, f"### {head}", ""]
    if classes:
        lines += ["| | class | verdict |", "| --- | --- | --- |"]
        lines += [f"| {_SIGNS[each.verdict]} | `{each.name}` | {_text(line(each))} |" for each in classes]
        lines.append("")
    for review in classes:
        for each in review.brought():
            lines += _finding(review, each)
    lines += [_text(part) + "  " for part in statement(result, classes)]
    return "\n".join(lines) + "\n"


def _finding(review: ClassReview, brought: Brought) -> list[str]:
    finding = brought.finding
    lines = [f"<details><summary><b>{_html(review.name)}</b>: {_html(finding.summary)}</summary>", ""]
    lines += [*_test(finding), ""]
    if finding.interleaving:
        shown = as_text(table(finding.interleaving, names=_names(finding)))
        lines += ["How it happens:", "", *_fenced(shown), ""]
    if finding.guard is not None:
        places = ", ".join(f"`{place}`" for place in finding.guard["unguarded"][:4])
        lines += [f"`{finding.guard['field']}` is guarded by `{finding.guard['lock']}`, but not at {places}.", ""]
    gil = finding.reachable.get("gil")
    if gil is not None:
        lines += ["Can happen today, on builds with the GIL too." if gil else "Only on free-threaded builds.", ""]
    if brought.command == "perf" and finding.detail:
        lines += [_text(finding.detail), ""]
    if brought.also:
        lines += ["The same cause:", "", *(f"- {_text(each.summary)}" for each in brought.also), ""]
    if finding.reproducer is not None:
        what = "To measure again" if brought.command == "perf" else "Regression test"
        lines += [f"{what}: `{finding.reproducer}`", ""]
    return [*lines, "</details>", ""]


def _test(finding: Finding) -> list[str]:
    if finding.test is None:
        return []
    if finding.kind == "performance":  # the threads of a performance test all do the same, many times
        return []
    shown = [call.source for call in finding.test.prefix]
    for thread, suffix in enumerate(finding.test.suffixes, 1):
        shown += [f"# thread {thread}", *(call.source for call in suffix)]
    return _fenced("\n".join(shown), "python")


def _names(finding: Finding) -> dict[int, str]:
    suffixes = finding.test.suffixes if finding.test is not None else ()
    return {thread: "; ".join(call.source for call in suffix) for thread, suffix in enumerate(suffixes, 1)}


def _fenced(text: str, language: str = "") -> list[str]:
    """A block that its content cannot end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + language, text, fence]


def _text(text: str) -> str:
    """Words outside of code, with what is special in Markdown taken literally; code in back-ticks stays code."""
    parts = re.split(r"(`[^`\n]*`)", " ".join(text.split()))
    return "".join(
        part.replace("|", "\\|") if part.startswith("`") else _SPECIAL.sub(r"\\\1", part) for part in parts
    )


def _html(text: str) -> str:
    """Words inside an HTML element; code in back-ticks becomes a code element."""
    safe = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", safe)
