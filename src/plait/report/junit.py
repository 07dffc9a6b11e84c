"""A result as JUnit XML: one test case per finding; what nothing was found in passed, or was skipped with a reason."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(data: dict[str, Any]) -> str:
    """``data`` is a result file's content."""
    findings = [] if data["verdict"] == "improvement" else data["findings"]
    others = _others(data, bool(findings))
    counts = {"tests": str(len(findings) + len(others)), "failures": str(len(findings)), "errors": "0"}
    skipped = str(sum(why is not None for _, why in others))
    time = f"{float(data['elapsed_s']):.3f}"
    suites = ET.Element("testsuites", {**counts, "time": time})
    name = f"plait {data['command']} {data['subject']}"
    suite = ET.SubElement(suites, "testsuite", {"name": _clean(name), **counts, "skipped": skipped, "time": time})
    for number, finding in enumerate(findings, 1):
        case = ET.SubElement(suite, "testcase", {
            "classname": _clean(finding.get("subject", data["subject"])),
            "name": _clean(f"{number} {finding['kind']}"), "time": "0",
        })  # fmt: skip
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
    """Without the characters that XML cannot hold."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", str(text))
