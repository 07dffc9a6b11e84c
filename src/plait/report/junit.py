"""A result as JUnit XML: one test case per finding; what nothing was found in passed, or was skipped with a reason."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

from plait.model.foreign import visible

_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(data: dict[str, Any]) -> str:
    """Return the report of a result file's ``data``."""
    findings = [] if data["verdict"] == "improvement" else data["findings"]
    known = [finding for finding in findings if finding.get("baseline", {}).get("status") == "known"]
    others = _others(data, bool(findings))
    failures = str(len(findings) - len(known))
    counts = {"tests": str(len(findings) + len(others)), "failures": failures, "errors": "0"}
    skipped = str(sum(why is not None for _, why in others) + len(known))
    time = f"{float(data['elapsed_s']):.3f}"
    suites = ET.Element("testsuites", {**counts, "time": time})
    name = f"plait {data['command']} {data['subject']}"
    suite = ET.SubElement(suites, "testsuite", {"name": _clean(name), **counts, "skipped": skipped, "time": time})
    for name, finding in _named(findings):
        case = ET.SubElement(suite, "testcase", {
            "classname": _clean(finding.get("subject", data["subject"])), "name": _clean(name), "time": "0",
        })  # fmt: skip
        if finding in known:
            ET.SubElement(case, "skipped", {"message": _clean(f"in the baseline: {finding['baseline']['reason']}")})
            continue
        said = {"type": _clean(finding["kind"]), "message": _clean(finding["summary"])}
        failure = ET.SubElement(case, "failure", said)
        failure.text = _clean("\n".join(_lines(finding)))
    for name, why in others:
        said = {"classname": _clean(name), "name": data["command"], "time": "0" if findings else time}
        case = ET.SubElement(suite, "testcase", said)
        if why is not None:
            ET.SubElement(case, "skipped", {"message": _clean(why)})
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _named(findings: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Give each finding a name that it keeps from run to run, whichever others are found."""
    named: list[tuple[str, dict[str, Any]]] = []
    seen: dict[str, int] = {}
    for finding in findings:
        methods = ", ".join(each.rpartition(".")[2] for each in dict.fromkeys(finding["methods"][:4]))
        name = f"{finding['kind']} in {methods or 'the test'} [{finding.get('fingerprint', '')}]"
        seen[name] = seen.get(name, 0) + 1
        named.append((name if seen[name] == 1 else f"{name} ({seen[name]})", finding))
    return named


def _others(data: dict[str, Any], found: bool) -> list[tuple[str, str | None]]:
    """Return what has no finding, and why it came to no conclusion.

    None for what is well as far as it was looked at.
    """
    if "classes" in data:  # of a review
        quiet = [each for each in data["classes"] if each["verdict"] != "finding"]
        told = [(each["subject"], each["line"] if each["verdict"] == "inconclusive" else None) for each in quiet]
        return told or ([] if found else [(data["subject"], None)])
    if found:
        return []
    untried = data["verdict"] in ("none", "pass") and data["stats"].get("tests") == 0
    why = data.get("reason") if data["verdict"] == "inconclusive" else next(iter(data.get("notes", [])), "no test")
    return [(data["subject"], str(why) if untried or data["verdict"] == "inconclusive" else None)]


def _lines(finding: dict[str, Any]) -> list[str]:
    lines = [finding["summary"]]
    test = finding.get("test", {})
    lines += test.get("prefix", [])
    for thread, suffix in enumerate(test.get("suffixes", []), 1):
        lines.append(f"thread {thread}: {'; '.join(suffix)}")
    for row in finding.get("interleaving", []):
        value = f" = {row['value']}" if "value" in row else ""
        lines.append(f"{row['thread']} {row['file']}:{row['line']} {row['code']}  [{row['access']}{value}]")
    if "reproducer" in finding:
        lines.append(f"reproducer: {finding['reproducer']}")
    return lines


def _clean(text: str) -> str:
    """Remove the characters that XML cannot hold."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", visible(str(text)))
