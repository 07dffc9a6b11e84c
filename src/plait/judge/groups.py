"""Which findings are mended in one place, and which of them a user meets first.

A class without a lock may show dozens of findings that a few lines of code are to blame for. Findings are one group if
the same code lacks protection: the function that was interrupted half-way, else the functions that raced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from plait.model.finding import Finding

_STAND_INS = re.compile(r"\b(Recorder|Partner|Thing|fresh|lambda)\b")


def code_to_mend(finding: Finding) -> str:
    """Return the code that lacks protection, as a name that is the same for all findings it is to blame for."""
    if finding.kind == "deadlock" and finding.waiting:
        return "locks taken by " + ", ".join(sorted(set(map(_short, finding.methods))))
    if finding.gap is not None:
        return f"{_file(finding.gap['file'])}: {finding.gap['function']}"
    if finding.race:
        places = sorted({f"{_file(row['file'])}: {row['function']}" for row in finding.race})
        return " and ".join(places)
    return " and ".join(sorted(set(map(_short, finding.methods)))) or finding.summary


def effort_to_reach(finding: Finding) -> tuple[int, int]:
    """Return how far a finding is from what users do: unusual methods first, then arguments that only a test gives."""
    calls = [] if finding.test is None else [*finding.test.prefix, *finding.test.calls]
    unusual = sum(_short(name).startswith("_") for name in finding.methods)
    return unusual, sum(len(_STAND_INS.findall(call.source)) for call in calls)


def grouped(findings: Iterable[Finding], weight: Callable[[Finding], Any]) -> list[Finding]:
    """Return the findings group by group, the gravest first in each and the gravest group first; `group` is set."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(code_to_mend(finding), []).append(finding)
    for members in groups.values():
        members.sort(key=weight)
    ordered = sorted(groups.items(), key=lambda item: weight(item[1][0]))
    for number, (code, members) in enumerate(ordered, 1):
        for finding in members:
            finding.group, finding.mend = number, code
    return [finding for _code, members in ordered for finding in members]


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _file(name: str) -> str:
    return Path(name).name
