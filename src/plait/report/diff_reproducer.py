"""Writes a difference as a pytest file that fails on the version which can do more, and passes on the other one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from pathlib import Path
from pprint import pformat
from typing import Any

from plait import __version__
from plait.judge.cause import cause
from plait.judge.difference_outcome import Outcome, View
from plait.judge.difference_words import described
from plait.model.finding import Finding
from plait.model.test import Call, Test
from plait.report.own_file import write_own
from plait.report.reproducer import name_of
from plait.subject.change import Side

OUT = Path("plait-out")


def digest(outcome: Outcome) -> str:
    """A short name for an outcome, the same in every process."""
    parts = tuple(outcome) if outcome.objects else tuple(outcome)[:-1]
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def view_as_json(view: View) -> dict[str, Any]:
    """Plain data, read back by `view_from_json`; only what is not the default."""
    found: dict[str, Any] = {"public": sorted(view.public)}
    if view.exits != "no":
        found["exits"] = view.exits
    if view.probes:
        found["afterwards"] = [call.expression for call in view.probes]
    if view.ignored:
        found["ignored"] = sorted(map(list, view.ignored))
    if view.masked:
        found["masked"] = sorted(view.masked)
    if not view.state:
        found["state"] = False
    if not view.objects:
        found["objects"] = False
    return found


def view_from_json(data: dict[str, Any]) -> View:
    """The inverse of `view_as_json`."""
    return View(
        frozenset(data["public"]), data.get("exits", "no"),
        tuple(Call.from_line(line) for line in data.get("afterwards", ())),
        frozenset((owner, name) for owner, name in data.get("ignored", ())),
        frozenset(data.get("masked", ())), data.get("state", True), data.get("objects", True),
    )  # fmt: skip


def write_reproducer(
    finding: Finding,
    subject: str,
    root: Path | None,
    view: View,
    *,
    allowed: Collection[Outcome],
    version: Side,
    folder: Path = OUT,
) -> str:
    """Write the file; ``allowed`` is all that one ``version`` can do.

    ``root`` is where the subject is imported from. The file of an earlier run that found the same is renewed.
    """
    path = os.path.relpath(root.resolve(), folder.resolve()) if root is not None else None
    text = _text(finding, subject, path, view, allowed, version)
    about = () if finding.only_new else ("vanished",)  # both kinds may be found at once
    return str(write_own(folder, f"test_{name_of(finding)}", text, subject, str(path), cause(finding), *about))


def _text(
    finding: Finding, subject: str, path: str | None, view: View, allowed: Collection[Outcome], version: Side,
) -> str:  # fmt: skip
    assert finding.test is not None
    assert finding.schedule is not None
    test = finding.test
    schedule = finding.schedule.as_json()
    arguments: list[tuple[str, Any]] = [
        ("imports", list(test.imports)),
        ("prefix", [call.source for call in test.prefix]),
        ("threads", [[call.source for call in suffix] for suffix in test.suffixes]),
        ("allowed", _named(allowed, test, view)),
    ]
    arguments += [("schedule", schedule), ("view", view_as_json(view))]
    summary = finding.summary.replace("\\", "\\\\").replace('"', "'")
    lines = [
        f'"""{summary}', "",
        f"Written by plait {__version__}. `allowed` is all that the {version} version can do, whatever the",
        "interleaving: the test passes on it, and fails on code that can do anything else.", '"""', "",
        "from pathlib import Path", "", "from plait.reproduce import assert_outcomes", "", "",
        f"def test_{name_of(finding)}():", "    assert_outcomes(", f"        {subject!r},",
    ]  # fmt: skip
    if path is not None:
        lines.append(f"        path=Path(__file__).parent / {path!r},")
    for name, value in arguments:
        text = pformat(value, width=100, sort_dicts=False).replace("\n", "\n" + " " * (9 + len(name)))
        lines.append(f"        {name}={text},")
    lines.append("    )")
    if path is None:
        lines.remove("from pathlib import Path")
    return "\n".join(lines) + "\n"


def _named(outcomes: Collection[Outcome], test: Test, view: View) -> dict[str, str]:
    return {digest(each): in_words(each, test, view) for each in outcomes}


def in_words(outcome: Outcome, test: Test, view: View) -> str:
    """An outcome as one line."""
    said = described(outcome, test, [call.expression for call in view.probes])
    parts = [f"{call.partition(': ')[2]} {what}" for call, what in said["calls"].items()]
    parts += [f"{path} {value}" for path, value in said.get("state", {}).items()]
    parts += [f"{text} {what}" for text, what in said.get("afterwards", {}).items()]
    parts += [said["objects"]] if "objects" in said else []
    if said["status"] != "finished":
        parts.append(said["status"])
    line = "; ".join(parts)
    return line if len(line) <= 300 else line[:297] + "..."
