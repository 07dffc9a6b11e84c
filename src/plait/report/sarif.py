"""A result as SARIF 2.1.0, for code-scanning services: rules are kinds of findings, places are racing accesses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from plait import __version__
from plait.model.fingerprint import SCHEME

HOME = "https://github.com/plait/plait"


class _Rule(NamedTuple):
    """A kind of finding: how grave it is, what it means, what to do about it, and the page that says more."""

    level: str
    short: str
    meaning: str
    remedy: str
    page: str


RULES = {
    "exception": _Rule(
        "error", "Threads make a call raise that no order of the calls makes raise",
        "Two threads call methods of one object at the same time, and one of the calls raises. One after another, in "
        "any order, the calls do not raise that.",
        "Hold one lock from the first access that the call relies on to the last; the finding names the two that "
        "conflict. Where a single operation does it (`dict.setdefault`, `dict.pop(key, None)`), use that.",
        "check.md",
    ),
    "deadlock": _Rule(
        "error", "Threads wait for each other for ever",
        "Each thread holds what another one waits for; none of them can go on.",
        "Take locks in one order everywhere, call nothing unknown while a lock is held, and use an RLock where a "
        "method calls another one of the same object.",
        "check.md",
    ),
    "hang": _Rule(
        "error", "Threads wait for something that nobody will do",
        "A thread waits, or goes round in a loop, and no other thread can end that.",
        "Wait in a `while` loop that looks at the state, change the state and notify under the same lock, and notify "
        "all if waiters wait for different things.",
        "check.md",
    ),
    "crash": _Rule(
        "error", "The process does not survive the calls",
        "The calls end the interpreter: in compiled code, by running out of memory, or by leaving it.",
        "Run the test of the finding in a process of its own, and look at the last call it names.",
        "check.md",
    ),
    "wrong-result": _Rule(
        "error", "Threads get results that no order of the calls gives",
        "The calls return, or leave behind, what they do not in any order of whole calls: an update was lost, or a "
        "state was seen half-way.",
        "Make what the finding calls the gap one step: hold one lock over the read and the write that depends on it.",
        "check.md",
    ),
    "difference": _Rule(
        "warning", "Only one of two versions can do this",
        "An interleaving of the test shows an outcome with one version that the other one cannot show.",
        "Look at the changed lines that the finding names. If the new outcome is meant, accept it in the baseline.",
        "diff.md",
    ),
    "performance": _Rule(
        "warning", "One of two versions is slower under contention",
        "The same test takes longer with the new version when several threads run it.",
        "Look at the locks that the finding names: what is done under them, and how often they are taken.",
        "perf.md",
    ),
}  # fmt: skip


def sarif(data: dict[str, Any]) -> str:
    """Return the report of a result file's ``data``."""
    kinds = list(dict.fromkeys(finding["kind"] for finding in data["findings"]))
    driver = {
        "name": "plait", "version": __version__, "semanticVersion": __version__, "informationUri": HOME,
        "rules": [_rule(kind) for kind in kinds],
    }  # fmt: skip
    run: dict[str, Any] = {
        "tool": {"driver": driver}, "columnKind": "unicodeCodePoints",
        "automationDetails": {"id": f"plait/{data['command']}/{data['subject']}/"},
        "results": [_result(finding, kinds, data) for finding in data["findings"]],
    }  # fmt: skip
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1) + "\n"


def _rule(kind: str) -> dict[str, Any]:
    rule = RULES.get(kind)
    if rule is None:  # of a later plait
        return {"id": kind, "shortDescription": {"text": kind}}
    return {
        "id": kind, "name": kind.title().replace("-", ""), "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.meaning}, "help": _help(rule), "helpUri": f"{HOME}/blob/main/docs/{rule.page}",
        "defaultConfiguration": {"level": rule.level},
        "properties": {"tags": ["concurrency", "threads"], "precision": "very-high", "problem.severity": rule.level},
    }  # fmt: skip


def _help(rule: _Rule) -> dict[str, str]:
    again = "`plait replay` shows it again, step by step."
    return {
        "text": f"{rule.meaning}\n\n{rule.remedy}\n\n{again}".replace("`", ""),
        "markdown": f"{rule.meaning}\n\n**To mend it:** {rule.remedy}\n\n{again}",
    }


def level_of(finding: dict[str, Any], verdict: str) -> str:
    """Return the level of a finding: improvements by a change are notes only."""
    gone = bool(finding.get("only_old")) and not finding.get("only_new")
    if verdict == "improvement" or gone:
        return "note"
    rule = RULES.get(finding["kind"])
    return "error" if rule is None else rule.level


def _result(finding: dict[str, Any], kinds: list[str], data: dict[str, Any]) -> dict[str, Any]:
    root = data.get("root")
    rows = [row for row in finding.get("interleaving", []) if _is_file(row)]
    racing = [row for row in finding.get("race") or [] if _is_file(row)] or rows[-1:]
    found: dict[str, Any] = {
        "ruleId": finding["kind"], "ruleIndex": kinds.index(finding["kind"]),
        "level": level_of(finding, data["verdict"]), "message": {"text": finding["summary"]},
    }  # fmt: skip
    if name := finding.get("fingerprint"):
        # code scanning tells alerts apart by the second name, and would else make its own from the line's text
        found["partialFingerprints"] = {f"plait/v{SCHEME}": name, "primaryLocationLineHash": f"{name}:1"}
    place = finding.get("location") or _home(finding, data)
    if racing:
        found["locations"] = [_location(racing[0], root)]
        found["relatedLocations"] = [{"id": number, **_location(row, root)} for number, row in enumerate(racing[1:], 1)]
    elif place is not None:
        found["locations"] = [{"physicalLocation": {
            "artifactLocation": _artifact(Path(place["file"]), root), "region": {"startLine": place["line"]},
        }}]  # fmt: skip
    if rows:
        steps = [
            {"location": _location(row, root), "executionOrder": number,
             "state": {"thread": {"text": str(row["thread"])}}}
            for number, row in enumerate(rows, 1)
        ]  # fmt: skip
        found["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if "baseline" in data:
        found["suppressions"] = _suppressions(finding)
    return found


def _suppressions(finding: dict[str, Any]) -> list[dict[str, str]]:
    """Return what the baseline says; an empty list is "not suppressed", where others are."""
    entry = finding.get("baseline")
    if entry is None or entry["status"] != "known":
        return []
    return [{"kind": "external", "status": "accepted", "justification": entry["reason"]}]


def _home(finding: dict[str, Any], data: dict[str, Any]) -> dict[str, Any] | None:
    """Return the file of the class, for a finding that no access is known of; None if it is not there to see."""
    module = str(finding.get("subject", data["subject"])).partition(":")[0]
    if module.endswith(".py"):
        return {"file": module, "line": 1}
    top = Path(data.get("root", "."))
    base = Path(*module.split("."))
    near = (base.with_name(f"{base.name}.py"), base / "__init__.py")
    return next(({"file": str(file), "line": 1} for file in near if (top / file).is_file()), None)


def _is_file(row: dict[str, Any]) -> bool:
    return not str(row["file"]).startswith("<") and row["line"] > 0


def _artifact(file: Path, root: str | None) -> dict[str, str]:
    """Name a file from the current folder, which a service takes for the repository's; else from its own root."""
    whole = file if root is None else Path(root) / file
    here = Path.cwd()
    if whole.is_relative_to(here):
        file = whole.relative_to(here)
    if file.is_absolute():
        return {"uri": file.as_uri()}  # the standard library, an installed package
    return {"uri": quote(file.as_posix())}


def _location(row: dict[str, Any], root: str | None) -> dict[str, Any]:
    """``root`` is where relative names start."""
    file = Path(str(row["file"]).removeprefix(f"{row['version']}:") if "version" in row else row["file"])
    version = f" ({row['version']})" if "version" in row else ""
    return {
        "physicalLocation": {"artifactLocation": _artifact(file, root), "region": {"startLine": row["line"]}},
        "message": {"text": f"thread {row['thread']}: {row['access']}{version}"},
    }
