"""A result as SARIF 2.1.0, for code-scanning services: rules are kinds of findings, places are racing accesses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

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
    level = "note" if data["verdict"] == "improvement" else "error"
    results = [_result(finding, kinds, level, data.get("root")) for finding in data["findings"]]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}],
    }  # fmt: skip
    return json.dumps(log, indent=1) + "\n"


def _result(finding: dict[str, Any], kinds: list[str], level: str, root: str | None) -> dict[str, Any]:
    rows = [row for row in finding.get("interleaving", []) if _is_file(row)]
    racing = [row for row in finding.get("race") or [] if _is_file(row)] or rows[-1:]
    found: dict[str, Any] = {
        "ruleId": finding["kind"], "ruleIndex": kinds.index(finding["kind"]), "level": level,
        "message": {"text": finding["summary"]},
    }  # fmt: skip
    if not racing and "location" in finding:
        place = finding["location"]
        found["locations"] = [{"physicalLocation": {
            "artifactLocation": {"uri": quote(Path(place["file"]).as_posix())}, "region": {"startLine": place["line"]},
        }}]  # fmt: skip
    if racing:
        found["locations"] = [_location(racing[0], root)]
        found["relatedLocations"] = [{"id": number, **_location(row, root)} for number, row in enumerate(racing[1:], 1)]
    if rows:
        steps = [
            {"location": _location(row, root), "executionOrder": number,
             "state": {"thread": {"text": str(row["thread"])}}}
            for number, row in enumerate(rows, 1)
        ]  # fmt: skip
        found["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    return found


def _is_file(row: dict[str, Any]) -> bool:
    return not str(row["file"]).startswith("<") and row["line"] > 0


def _location(row: dict[str, Any], root: str | None) -> dict[str, Any]:
    """``root`` is where relative names start; what lies in the current folder is named from there."""
    file = Path(str(row["file"]).removeprefix(f"{row['version']}:") if "version" in row else row["file"])
    file = file if root is None else Path(root) / file
    here = Path.cwd()
    if file.is_relative_to(here):
        uri = quote(file.relative_to(here).as_posix())
    else:
        uri = file.as_uri() if file.is_absolute() else quote(file.as_posix())
    version = f" ({row['version']})" if "version" in row else ""
    return {
        "physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": row["line"]}},
        "message": {"text": f"thread {row['thread']}: {row['access']}{version}"},
    }
