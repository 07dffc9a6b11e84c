"""Do findings of real packages fit a screen, and do they say what a reader needs?

`plait check` looks at one class of each package of the corpus. Each finding is shown as on a terminal of 80 columns,
and in the compact form for agents. A finding has to say which accesses conflict (or who waits for what), what is lost,
and what has to be held, taken in one order or tested again.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.fix.bench import releases
from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.errors import UsageError
from plait.report.compact import block
from plait.report.finding_text import finding_lines
from plait.report.layout import SCREEN, Layout, as_text
from plait.subject.name import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.model.finding import Finding

COLUMNS = 80
SECONDS = 40.0  # of the check of a release
TESTS = 40
SAMPLE = 10  # packages
TOKENS = 2000
_HELD = re.compile(
    r"must run under|Not under one lock|Take them in one order|notify\(\)|notify_all\(\)|Not tested again"
    r"|make it an RLock|Nobody (has called|calls)|wakes another|takes that permit|has made use of|Test what is waited"
)


def run(
    *, seconds: float = SECONDS, subject: str | None = None, sample: int = SAMPLE, max_tests: int = TESTS,
    seed: int = 0, progress: Callable[[str], None] = lambda _line: None,
) -> dict[str, Any]:  # fmt: skip
    """Look at ``sample`` packages, or at those that ``subject`` names (with commas)."""
    wanted = set(filter(None, (subject or "").split(",")))
    rows: list[dict[str, Any]] = []
    looked_at = 0
    for case in releases():
        if looked_at == sample or (wanted and case.package not in wanted):
            continue
        with tempfile.TemporaryDirectory(prefix="plait-screens-") as name:
            folder = Path(name)
            asked = CheckOptions(
                Subject.parse(case.subject, path=folder), case.release(case.buggy), project=folder, seed=seed,
                max_tests=max_tests, budget=seconds,
            )  # fmt: skip
            try:
                result = check(asked)
            except UsageError as error:
                progress(f"{case.package}: {error}")
                continue
        looked_at += bool(result.findings)
        for number, finding in enumerate(result.findings, 1):
            rows.append({"subject": case.package, **measured(finding, number, len(result.findings), case.subject)})
            progress(_line(rows[-1]))
    return {"rows": rows, "summary": _summary(rows)}


def measured(finding: Finding, number: int, total: int, subject: str) -> dict[str, Any]:
    """Return the sizes of one finding, and whether it says what it has to."""
    text = as_text(finding_lines(finding, Layout(COLUMNS), number, total))
    sentences = " ".join(text.split())
    lines = text.rstrip().splitlines()
    racing = all(step.access in sentences for step in finding.race) if finding.race else bool(finding.waiting)
    title = " ".join(finding.summary.split())
    short = block({**finding.as_json(), "fingerprint": "0" * 16}, {"subject": subject, "command": "check"}, number)
    return {
        "finding": number, "kind": finding.kind, "lines": len(lines), "widest": max(map(len, lines)),
        "accesses": racing, "lost": title in sentences, "held": _HELD.search(sentences) is not None,
        "tokens": tokens(short), "json_tokens": tokens(str(finding.as_json())),
    }  # fmt: skip


def tokens(text: str) -> int:
    """Count words, numbers and signs, long words in parts: more than what tokenisers of language models make of it."""
    return sum(-(-len(word) // 4) for word in re.findall(r"\w+|[^\w\s]", text))


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    if not rows:
        return {"packages": 0, "findings": 0}
    return {
        "packages": len({row["subject"] for row in rows}), "findings": len(rows), "screen": SCREEN, "columns": COLUMNS,
        "lines_most": max(row["lines"] for row in rows), "lines_median": median(row["lines"] for row in rows),
        "fit": sum(row["lines"] <= SCREEN and row["widest"] <= COLUMNS for row in rows),
        "complete": sum(row["accesses"] and row["lost"] and row["held"] for row in rows),
        "tokens_most": max(row["tokens"] for row in rows), "tokens_median": median(row["tokens"] for row in rows),
        "json_tokens_median": median(row["json_tokens"] for row in rows), "goal_tokens": TOKENS,
    }  # fmt: skip


def _line(row: dict[str, Any]) -> str:
    missing = [name for name in ("accesses", "lost", "held") if not row[name]]
    said = f"lacks {', '.join(missing)}" if missing else "complete"
    return (
        f"{row['subject']:24}{row['finding']:3} {row['kind']:13}{row['lines']:3} lines, {row['widest']:3} wide, "
        f"{row['tokens']:5} tokens  {said}"
    )


def show(result: dict[str, Any]) -> str:
    """Return the table as text."""
    each = result["summary"]
    lines = [_line(row) for row in result["rows"]]
    if not each["findings"]:
        return "no findings"
    lines.append(
        f"{each['findings']} findings of {each['packages']} packages at {each['columns']} columns: {each['fit']} fit "
        f"{each['screen']} lines (median {each['lines_median']:.0f}, most {each['lines_most']}); {each['complete']} "
        f"name the accesses, what is lost and what to hold; compact form: median {each['tokens_median']:.0f} tokens, "
        f"most {each['tokens_most']} (goal {TOKENS}); JSON: median {each['json_tokens_median']:.0f}"
    )
    return "\n".join(lines)
