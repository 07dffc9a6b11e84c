"""Writes a finding as a pytest file that fails while the fault is there."""

from __future__ import annotations

import os
import re
from pathlib import Path
from pprint import pformat
from typing import Any

from plait import __version__
from plait.judge.cause import cause
from plait.judge.probes import filled
from plait.model.finding import Finding
from plait.model.test import Call
from plait.report.own_file import write_own


def reproducer_text(
    finding: Finding, subject: str, path: str | None, probes: list[str], rules: dict[str, Any] | None = None
) -> str:
    """The file's content; ``path`` is where the subject is imported from, relative to the file."""
    assert finding.test is not None
    assert finding.schedule is not None
    test = finding.test
    schedule = finding.schedule.as_json()
    arguments: list[tuple[str, Any]] = [
        ("imports", list(test.imports)),
        ("prefix", [call.source for call in test.prefix]),
        ("threads", [[call.source for call in suffix] for suffix in test.suffixes]),
        ("schedule", schedule["segments"]),
        ("afterwards", [call.expression for call in filled([Call.from_line(line) for line in probes], test)]),
        ("model", schedule["model"]),
        ("timeouts", schedule["timeouts"]),
        *([("rules", rules)] if rules else []),
    ]
    lines = [
        f'"""{_comment(finding.summary)}', "",
        f"Written by plait {__version__}. Fails while the fault is there, passes when it is mended.", '"""', "",
        "from pathlib import Path", "", "from plait.reproduce import assert_safe", "", "",
        f"def test_{name_of(finding)}():", "    assert_safe(", f"        {subject!r},",
    ]  # fmt: skip
    if path is not None:
        lines.append(f"        path=Path(__file__).parent / {path!r},")
    for name, value in arguments:
        text = pformat(value, width=100, sort_dicts=False).replace("\n", "\n" + " " * (9 + len(name)))
        lines.append(f"        {name}={text},")
    lines.append("    )")
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'")


def name_of(finding: Finding) -> str:
    """An identifier for the test and its file."""
    names = "_".join(dict.fromkeys(method.rpartition(".")[2].strip("_") for method in finding.methods))
    owner = finding.methods[0].partition(".")[0] if finding.methods else "subject"
    text = re.sub(r"\W+", "_", f"{owner}_{names}_{finding.kind}").lower().strip("_")
    return text[:80]


def write_reproducer(
    finding: Finding, subject: str, folder: Path, root: Path | None, probes: list[str],
    rules: dict[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Write the file into ``folder``; the one of an earlier run that found the same is renewed."""
    path = os.path.relpath(root.resolve(), folder.resolve()) if root is not None else None
    text = reproducer_text(finding, subject, path, probes, rules)
    return write_own(folder, f"test_{name_of(finding)}", text, subject, str(path), cause(finding))
