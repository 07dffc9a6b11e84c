"""The result of `plait bisect` as text."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from plait.model.counted import counted

if TYPE_CHECKING:
    from plait.model.command_results import BisectResult, CommitRow


def bisect_text(result: BisectResult, path: Path | None = None) -> str:
    """Return the commit, what it brought, and how it was found; ``path`` is where the subject is imported from."""
    good, bad = result.versions["good"], result.versions["bad"]
    if result.verdict == "none":
        return f"{result.subject}: no difference in behaviour or speed was found between {good} and {bad}."
    if result.verdict == "inconclusive":
        return f"{result.subject}: no conclusion between {good} and {bad}: {'; '.join(result.notes)}."
    finding = result.findings[0]
    lines = []
    if result.more["commit"] is not None:
        lines += ["The first commit that shows it:", "", *_commit(result.more["commit"])]
    else:
        count = len(result.more["suspects"])
        lines += [f"One of these {count} commits; those before the last could not be tried:", ""]
        for each in result.more["suspects"]:
            lines += _commit(each)
    lines += ["", finding.summary, ""]
    if finding.test is not None and result.more["kind"] == "behaviour":
        lines += [f"    {call.source}" for call in finding.test.prefix]
        for thread, suffix in enumerate(finding.test.suffixes, 1):
            lines.append(f"    thread {thread}:  {'; '.join(call.source for call in suffix)}")
        lines.append("")
    if result.more["commit"] is not None:
        name, command = result.more["commit"]["name"][:10], "diff" if result.more["kind"] == "behaviour" else "perf"
        where = "" if path in (None, Path()) else f" --path {shlex.quote(str(path))}"
        lines += [f"To see it: plait {command} {result.subject} --old {name}~1 --new {name}{where}", ""]
    lines += [f"  {each['answer']:5} {each['name'][:10]} {each['subject']}{_why(each)}" for each in result.more["log"]]
    stats = result.stats
    tried = f"{stats['commits_tried']} of {counted(stats['commits'], 'commit')} tried"
    lines.append(f"{tried}, {stats['commits_skipped']} of them in vain, {good} to {bad} ({result.elapsed_s:.0f} s).")
    return "\n".join(lines)


def _commit(each: CommitRow) -> list[str]:
    return [f"  {each['name'][:10]}  {each['subject']}", f"              {each['author']}, {each['date']}"]


def _why(each: CommitRow) -> str:
    return f" ({each['why']})" if each["why"] else ""
