"""`plait explain`: shows a finding of an earlier run from the store, without running code under test."""

from __future__ import annotations

import argparse
import contextlib
import time
from pathlib import Path
from typing import Any, NamedTuple

from plait.errors import NOTHING_FOUND, UsageError
from plait.model.finding import Finding
from plait.model.fingerprint import LENGTH, fingerprint_of
from plait.report.finding_text import finding_lines
from plait.report.layout import Layout, Line, Span, fitted, show, terminal_layout, wrapped
from plait.report.publish import json_text, write_whole
from plait.report.sources import name_from
from plait.store.database import FILE, FOLDER, Known, Store
from plait.subject.versions.version import usual_places

LEAST = 4  # digits of a fingerprint that are enough to name it


class _Kept(NamedTuple):
    fingerprint: str
    subject: str
    known: Known
    finding: Finding


def run_explain(options: argparse.Namespace) -> int:
    """Run the command; return 0 if a finding or the list of all findings was shown."""
    kept = _all(Path(FOLDER))
    if options.argument is None:
        if options.json is not None:
            raise UsageError("--json writes one finding: give its fingerprint; `plait explain` lists them")
        layout = terminal_layout()
        lines = [line for each in _latest(kept) for line in _lines(each, layout)]
        show(lines or fitted(f"{FOLDER} holds no findings: `plait check` looks for some", layout))
        return NOTHING_FOUND
    for each in _asked(options.argument, kept):
        _show(each, options)
    return NOTHING_FOUND


def _all(folder: Path) -> list[_Kept]:
    """Return every finding of the store, the latest first, without those of old versions that stored no subject.

    Several commands may have stored the same finding, each with its own settings: the latest one counts.
    """
    if not (folder / FILE).is_file():
        return []
    found = []
    with Store(folder) as store:
        for known in store.findings():
            subject = known.content.get("subject")
            with contextlib.suppress(ValueError, UsageError):
                finding = Finding.from_json(known.content)
                if isinstance(subject, str):
                    found.append(_Kept(fingerprint_of(finding, subject), subject, known, finding))
    latest: dict[tuple[str, str, str], _Kept] = {}
    for each in sorted(found, key=lambda each: (-each.known.last, each.fingerprint)):
        latest.setdefault((each.fingerprint, each.subject, each.finding.summary), each)
    return list(latest.values())


def _asked(text: str, kept: list[_Kept]) -> list[_Kept]:
    """Return the findings with this fingerprint: the open ones, otherwise the latest."""
    wanted = text.strip().lower()
    matching = [each for each in kept if each.fingerprint.startswith(wanted)] if len(wanted) >= LEAST else []
    names = list(dict.fromkeys(each.fingerprint for each in matching))
    if not names:
        there = f"`plait explain` lists the {len(_latest(kept))} that it holds" if kept else "it holds no findings"
        hint = "" if len(wanted) >= LEAST else f" (give at least {LEAST} of its {LENGTH} digits)"
        if Path(text).is_file():
            hint = f": it is a file; `plait replay {text}` shows what a file holds"
        raise UsageError(f"{FOLDER} knows no finding {text!r:.40}{hint}; {there}")
    if len(names) > 1:
        raise UsageError(f"{text!r} may be {', '.join(names[:5])}: give more digits")
    still = [each for each in matching if each.known.status == "open"]
    return still or matching[:1]


def _latest(kept: list[_Kept]) -> list[_Kept]:
    """Return the latest finding of each fingerprint: other tests of the same fault have other words for it."""
    latest: dict[tuple[str, str], _Kept] = {}
    for each in kept:
        latest.setdefault((each.fingerprint, each.subject), each)
    return list(latest.values())


def _lines(each: _Kept, layout: Layout) -> list[Line]:
    """Return the entry of a finding in the list; its summary is a column of its own."""
    head = f"{each.fingerprint}  {each.known.status:8}  "
    if layout.unwrapped:
        return [[Span(head + each.finding.summary)]]
    parts = wrapped(each.finding.summary, layout.width - len(head), hang=0)
    return [[Span((head if not number else " " * len(head)) + part)] for number, part in enumerate(parts)]


def _show(each: _Kept, options: argparse.Namespace) -> None:
    finding = each.finding
    for root in usual_places(Path.cwd()):
        name_from(root, [finding])
    written: dict[str, Any] = {**finding.as_json(), "fingerprint": each.fingerprint, "subject": each.subject}
    if options.json is not None and write_whole(json_text(written), options.json):
        return
    if options.compact:
        from plait.report.compact import block  # noqa: PLC0415 - as other forms

        command = each.known.subject.partition(" ")[0]
        print(block(written, {"subject": each.subject, "command": command}))
    else:
        show(finding_lines(finding, terminal_layout(full=options.full)))
    seen = time.strftime("%Y-%m-%d %H:%M", time.localtime(each.known.last))
    print(f"\n{each.fingerprint} in {each.subject}: {each.known.status}, last looked at {seen}")
