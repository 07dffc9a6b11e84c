"""A result as SARIF 2.1.0, for code-scanning services: rules are kinds of findings, places are racing accesses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from plait import __version__

RULES = {
    "exception": "Threads make a call raise that no order of the calls makes raise",
    "deadlock": "Threads wait for each other for ever",
    "hang": "Threads go on for ever",
    "crash": "The process does not survive the calls",
    "wrong-result": "Threads get results that no order of the calls gives",
    "difference": "Only one of two versions can do this",
    "performance": "One of two versions is slower under contention",
}


def sarif(data: dict[str, Any]) -> str:
    """``data`` is a result file's content."""
    kinds = list(dict.fromkeys(finding["kind"] for finding in data["findings"]))
    driver = {
        "name": "plait", "version": __version__, "semanticVersion": __version__,
        "rules": [{"id": kind, "shortDescription": {"text": RULES.get(kind, kind)}} for kind in kinds],
    }  # fmt: skip
    results = [_result(finding, kinds) for finding in data["findings"]]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}],
    }  # fmt: skip
    return json.dumps(log, indent=1) + "\n"


def _result(finding: dict[str, Any], kinds: list[str]) -> dict[str, Any]:
    rows = [row for row in finding.get("interleaving", []) if _is_file(row)]
    racing = [row for row in finding.get("race") or [] if _is_file(row)] or rows[-1:]
    found: dict[str, Any] = {
        "ruleId": finding["kind"], "ruleIndex": kinds.index(finding["kind"]), "level": "error",
        "message": {"text": finding["summary"]},
    }  # fmt: skip
    if racing:
        found["locations"] = [_location(racing[0])]
        found["relatedLocations"] = [{"id": number, **_location(row)} for number, row in enumerate(racing[1:], 1)]
    if rows:
        steps = [
            {"location": _location(row), "executionOrder": number, "state": {"thread": {"text": str(row["thread"])}}}
            for number, row in enumerate(rows, 1)
        ]
        found["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    return found


def _is_file(row: dict[str, Any]) -> bool:
    return not str(row["file"]).startswith("<") and row["line"] > 0


def _location(row: dict[str, Any]) -> dict[str, Any]:
    file = Path(row["file"])
    here = Path.cwd()
    uri = file.relative_to(here).as_posix() if file.is_relative_to(here) else file.as_posix()
    return {
        "physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": row["line"]}},
        "message": {"text": f"thread {row['thread']}: {row['access']}"},
    }
