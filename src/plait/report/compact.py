"""A result in few words, for programs that read text: agents and chats.

One block for each finding, one thing on each line, each line begins with a name. What is long is cut: a block stays
below 2,000 tokens whatever the code under test says.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from plait.judge.oracle.protection import TEST_AGAIN, Protection, protection
from plait.model.counted import counted
from plait.model.finding import AccessStep, Gap, RaisedAt, function_shown
from plait.report.fix_text import compact_fix

MOST_CHARACTERS = 4_000  # of one block: even of code, about three characters are a token
_LINE = 400
_STEPS = 8  # of what happens
_FINDINGS = 20


def compact(data: dict[str, Any], replay: str | None = None) -> str:
    """Return the result; ``data`` is a result file's content, ``replay`` the command that shows its findings again."""
    if data["command"] == "fix":
        return compact_fix(data)
    findings = data["findings"]
    blocks = [block(finding, data, number, replay) for number, finding in enumerate(findings[:_FINDINGS], 1)]
    if len(findings) > _FINDINGS:
        blocks.append(f"more: {counted(len(findings) - _FINDINGS, 'finding')}, in --json")
    return "\n\n".join([*blocks, _end(data)]) + "\n"


def block(finding: dict[str, Any], data: dict[str, Any], number: int = 1, replay: str | None = None) -> str:
    """Return one finding: what is wrong, which lines to change, why, and how to see it again."""
    lines = [f"finding: {finding.get('fingerprint', '-')} {finding['kind']}{_known(finding)}"]
    lines.append(f"title: {finding['summary']}")
    lines.append(f"subject: {finding.get('subject', data['subject'])}")
    lines += [f"change: {place}" for place in _places_to_change(finding)]
    lines += [f"access: {_access(row)}" for row in finding.get("race") or ()]
    lines += [f"lost: {text}" for text in _lost(finding)]
    lines += [f"wait: {text}" for text in finding.get("waiting", ())[:4]]
    lines.append(f"lock: {_lock_to_take(finding)}")
    lines += [f"test: {text}" for text in _test(finding)]
    lines += [f"step: {text}" for text in _steps(finding)]
    lines.append(f"builds: {_builds(finding)}")
    lines += [f"replay: {text}" for text in _again(finding, data, number, replay)]
    return _cut("\n".join(_cut(" ".join(line.split()), _LINE) for line in lines), MOST_CHARACTERS)


def _known(finding: dict[str, Any]) -> str:
    entry = finding.get("baseline")
    return "" if entry is None else f" {entry['status']}"


def _places_to_change(finding: dict[str, Any]) -> list[str]:
    """Return the lines that a mend has to touch: the gap, else the places without the lock, else the accesses."""
    lacking = _lacking(finding)
    if lacking is not None:
        last = f"-{lacking.last}" if lacking.last != lacking.first else ""
        return [f"{lacking.file}:{lacking.first}{last} {function_shown(lacking.function)}"]
    if finding["kind"] in ("deadlock", "hang") or finding.get("waiting"):
        rows = [row for row in finding.get("interleaving", ()) if str(row["access"]).startswith(("acquire", "wait"))]
        return _places(rows)[:6]
    guard = finding.get("guard")
    if guard is not None and guard["unguarded"]:
        return [str(place) for place in guard["unguarded"][:6]]
    rows = finding.get("race") or finding.get("interleaving", ())[-2:]
    found = _places(rows)
    if not found and "location" in finding:
        found = [f"{finding['location']['file']}:{finding['location']['line']}"]
    return found or [", ".join(finding["methods"])]


def _lacking(finding: dict[str, Any]) -> Protection | None:
    """Return the lines that lack a lock, where a function was interrupted half-way."""
    if finding.get("gap") is None:
        return None
    race, steps = ([AccessStep.from_json(row) for row in finding.get(key) or ()] for key in ("race", "interleaving"))
    raised = RaisedAt.from_json(finding["raised_at"]) if finding.get("raised_at") else None
    return protection(Gap.from_json(finding["gap"]), race, steps, raised)


def _places(rows: Sequence[dict[str, Any]]) -> list[str]:
    inside = [row for row in rows if not str(row["file"]).startswith("<")]
    names = [function_shown(row.get("function", "")) for row in inside]
    said = (f"{row['file']}:{row['line']} {name}".strip() for row, name in zip(inside, names, strict=True))
    return list(dict.fromkeys(said))


def _access(row: dict[str, Any]) -> str:
    value = f" = {row['value']}" if "value" in row else ""
    held = f" holding {', '.join(row['locks'])}" if row.get("locks") else " holding no lock"
    return f"thread {row['thread']} {row['access']}{value} at {row['file']}:{row['line']}{held}: {row['code']}"


def _lost(finding: dict[str, Any]) -> list[str]:
    """Return what is wrong, and what it should be."""
    said = [finding[name] for name in ("raised", "detail") if finding.get(name)]
    if finding.get("expected"):
        call = finding.get("odd_call") or "the call"
        said.append(f"one after the other, {call} {' or '.join(finding['expected'][:4])}")
    for name in ("only_new", "only_old"):
        said += [f"{name.replace('_', ' ')} version: {_outcome(each)}" for each in (finding.get(name) or ())[:2]]
    return said


def _outcome(outcome: dict[str, Any]) -> str:
    parts = [f"{call} {result}" for call, result in outcome.get("calls", {}).items()]
    parts += [f"{name} is {value}" for name, value in outcome.get("state", {}).items()]
    return "; ".join([str(outcome.get("status", "")), *parts])


def _lock_to_take(finding: dict[str, Any]) -> str:
    """Return the lock that a mend should hold, as far as the class has one."""
    if finding["kind"] == "performance":
        return "none: this is about speed"
    if finding["kind"] in ("deadlock", "hang") or finding.get("waiting"):
        return "no other one: take these in one order, or wait without holding them"
    guard = finding.get("guard")
    if guard is not None:
        return f"{guard['lock']}, as at {guard.get('guarded', 'the')} other places that access {guard['field']}"
    lacking = _lacking(finding)
    if lacking is not None and lacking.waits:
        return f"no other one. {TEST_AGAIN}"
    if lacking is not None and lacking.lock:
        return f"{lacking.lock}, which is held at the other access or at a part of these lines"
    used = {lock for row in finding.get("interleaving", ()) for lock in row.get("locks", ())}
    if used:
        return f"{', '.join(sorted(used)[:3])} is used here, but does not cover both accesses"
    return "none is held at these accesses: add one, and hold it from the first to the last"


def _test(finding: dict[str, Any]) -> list[str]:
    test = finding.get("test")
    if test is None:
        return [finding["node"]] if finding.get("node") else []
    threads = [f"thread {number}: {'; '.join(calls)}" for number, calls in enumerate(test["suffixes"], 1)]
    return ["; ".join(test["prefix"]), *threads[:4]]


def _steps(finding: dict[str, Any]) -> list[str]:
    """Return the accesses around the switches of threads, which are what happens."""
    rows = [row for row in finding.get("interleaving", ()) if not str(row["file"]).startswith("<")]
    wanted = [
        row for number, row in enumerate(rows)
        if any(0 <= other < len(rows) and rows[other]["thread"] != row["thread"] for other in (number - 1, number + 1))
        or (row["thread"], row["line"], row["access"]) in _racing(finding)
    ]  # fmt: skip
    more = [f"({len(wanted) - _STEPS} more)"] if len(wanted) > _STEPS else []
    shown = [f"{row['thread']} {row['file']}:{row['line']} {row['access']}{_value(row)}" for row in wanted[-_STEPS:]]
    return [*more, *shown]


def _racing(finding: dict[str, Any]) -> set[tuple[Any, ...]]:
    return {(row["thread"], row["line"], row["access"]) for row in finding.get("race") or ()}


def _value(row: dict[str, Any]) -> str:
    return f" = {row['value']}" if "value" in row else ""


def _builds(finding: dict[str, Any]) -> str:
    reach = finding.get("reachable", {})
    words = {True: "yes", False: "no", None: "not known"}
    shown = ", ".join(f"{name} {words.get(can, 'not known')}" for name, can in reach.items()) or "not known"
    return f"{shown}; on OS threads {words.get(finding.get('confirmed_on_threads'), 'not known')}"


def _again(finding: dict[str, Any], data: dict[str, Any], number: int, replay: str | None) -> list[str]:
    found = []
    if finding.get("node") and data["command"] == "explore":
        found.append(shlex.join(["plait", "explore", str(finding["node"])]))
    elif finding.get("reproducer") and finding["kind"] != "performance":
        found.append(shlex.join(["plait", "replay", str(finding["reproducer"])]))
    elif replay is not None and "schedule" in finding:
        found.append(f"{replay} --finding {number}")
    elif finding.get("reproducer"):
        found.append(shlex.join(["python", str(finding["reproducer"])]))
    return found


def _end(data: dict[str, Any]) -> str:
    stats = data["stats"]
    done = ", ".join(counted(stats[name], *nouns) for name, nouns in _DONE.items() if stats.get(name) is not None)
    known = f", {data['baseline']['known']} known" if "baseline" in data else ""
    lines = [f"verdict: {data['verdict']} ({counted(len(data['findings']), 'finding')}{known}; {done})"]
    lines += [f"reason: {data['reason']}"] if data.get("reason") else []
    lines += [f"note: {note}" for note in data.get("notes", ())[:5] if note != data.get("reason")]
    return "\n".join(_cut(" ".join(line.split()), _LINE) for line in lines)


_DONE = {
    "tests": ("test",), "tests_generated": ("test",), "schedules": ("schedule",),
    "method_pairs_covered": ("pair of methods", "pairs of methods"), "classes": ("class", "classes"),
    "functions": ("function",), "commits": ("commit",),
}  # fmt: skip
"""By name in ``stats``, the nouns for what was done."""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 4].rstrip()} ..."


# -- badge -------------------------------------------------------------------------------------------------------------
# A result in two words, for a picture on a project's page.


_GOOD, _FAIR, _BAD, _OPEN = "brightgreen", "yellow", "red", "lightgrey"


def badge(data: dict[str, Any]) -> str:
    """Return what an endpoint badge of shields.io reads; what is known is no finding, no conclusion no pass."""
    message, colour = _two_words(data)
    content = {"schemaVersion": 1, "label": "plait", "message": message, "color": colour}
    return json.dumps(content, ensure_ascii=False) + "\n"


def _two_words(data: dict[str, Any]) -> tuple[str, str]:
    count = len(data["findings"])
    known = sum(each.get("baseline", {}).get("status") == "known" for each in data["findings"])
    if data["verdict"] == "improvement":
        return "faster", _GOOD
    if count > known:
        return counted(count - known, "finding"), _BAD
    if data["verdict"] == "inconclusive":
        return "no conclusion", _OPEN
    if known:
        return f"{known} known", _FAIR
    return "no findings", _GOOD
