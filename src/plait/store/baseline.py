"""The baseline: findings that a project has accepted, each with a reason, and perhaps until a certain day.

The file is TOML, so that people can read and edit it, and belongs into the repository. Accepted findings are reported
but do not fail a run. New findings fail it, and so do accepted ones that have expired.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from plait.errors import UsageError
from plait.model.files import file_text, write_whole_file
from plait.model.finding import BaselineMark, Finding
from plait.model.fingerprint import LENGTH, fingerprint_of

DEFAULT = "plait-baseline.toml"
_HEAD = """\
# Findings of plait that are known and accepted: they are reported, and do not fail a run.
# `reason` is for people. After the day in `expires` (optional) a finding fails again.
"""
_KEYS = ("fingerprint", "subject", "command", "summary", "reason", "expires")
_FINGERPRINT = re.compile(rf"[0-9a-f]{{{LENGTH}}}")
_MOST = 5  # entries that are named in a note


class Found(NamedTuple):
    """A finding, its subject, and the command (or the step of a review) that found it."""

    finding: Finding
    subject: str
    command: str

    @property
    def fingerprint(self) -> str:
        """The identity of the finding in the baseline."""
        return fingerprint_of(self.finding, self.subject)


@dataclass(frozen=True, slots=True)
class Accepted:
    """One entry of a baseline."""

    fingerprint: str
    reason: str
    subject: str = ""
    command: str = ""
    summary: str = ""
    expires: dt.date | None = None

    def is_expired(self, today: dt.date) -> bool:
        """Return whether its last day has passed."""
        return self.expires is not None and self.expires < today

    def as_toml(self) -> str:
        """Return the entry's text in the file."""
        texts = {name: getattr(self, name) for name in _KEYS[:-1]}
        lines = [f"{name} = {_quoted(text)}" for name, text in texts.items() if text or name == "reason"]
        if self.expires is not None:
            lines.append(f"expires = {self.expires.isoformat()}")
        return "\n".join(["[[finding]]", *lines]) + "\n"


@dataclass(slots=True)
class Baseline:
    """The entries of a file; ``today`` decides which of them have expired."""

    file: Path
    entries: dict[str, Accepted] = field(default_factory=dict)
    today: dt.date = field(default_factory=dt.date.today)

    @classmethod
    def read(cls, file: Path) -> Baseline:
        """Return the baseline in a file; raise UsageError if the file is no baseline."""
        import tomllib  # noqa: PLC0415 - few runs have a baseline

        try:
            data = tomllib.loads(file_text(file))
        except OSError as error:
            raise UsageError(f"the baseline {file} cannot be read: {error.strerror or error}") from None
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{file} is no valid TOML: {' '.join(str(error).split())[:160]}") from None
        rows = data.pop("finding", [])
        if data or not isinstance(rows, list):
            raise UsageError(f"{file} is no baseline: it holds [[finding]] tables and nothing else")
        entries = [_entry(file, number, row) for number, row in enumerate(rows, 1)]
        return cls(file, {each.fingerprint: each for each in entries})

    def mark(
        self, found: Sequence[Found], *, looked_at: Iterable[tuple[str, str]] = (), seen: Collection[str] = ()
    ) -> dict[str, Any]:
        """Mark the accepted findings, and return the baseline's part of the result file.

        ``looked_at`` are the subjects and commands that were run to their end: their entries without a finding are
        gone. ``seen`` are fingerprints of findings that were found but do not count.
        """
        present = {each.fingerprint for each in found} | set(seen)
        expired, known = [], 0
        for each in found:
            entry = self.entries.get(each.fingerprint)
            if entry is None:
                continue
            late = entry.is_expired(self.today)
            known += not late
            if late and entry.fingerprint not in expired:
                expired.append(entry.fingerprint)
            until = None if entry.expires is None else entry.expires.isoformat()
            each.finding.baseline = BaselineMark("expired" if late else "known", entry.reason, until)
        done = set(looked_at)
        gone = [
            {"fingerprint": name, "subject": entry.subject, "summary": entry.summary, "reason": entry.reason}
            for name, entry in self.entries.items()
            if name not in present and (entry.subject, entry.command) in done
        ]  # fmt: skip
        return {"file": str(self.file), "known": known, "new": len(found) - known, "expired": expired, "gone": gone}

    def notes(self, marked: dict[str, Any]) -> list[str]:
        """Return notes for the report: how many findings are accepted, which entries have expired, which are gone."""
        said = []
        if marked["known"]:
            count = marked["known"]
            is_ = "finding is" if count == 1 else "findings are"
            said.append(f"{count} {is_} known ({self.file}), {marked['new'] or 'none'} new")
        for name in marked["expired"][:_MOST]:
            entry = self.entries[name]
            said.append(f"accepted until {entry.expires}, which has passed: {name} {entry.summary} ({entry.reason})")
        return said + [
            f"in {self.file}, but not found any more: {each['fingerprint']} {each['summary'] or each['subject']}; "
            "--update-baseline removes it"
            for each in marked["gone"][:_MOST]
        ]

    def update(self, found: Sequence[Found], gone: Iterable[str], reason: str, expires: dt.date | None) -> list[str]:
        """Accept the new findings, drop entries that are gone, and write the file; return the accepted findings.

        Expired entries are accepted again.
        """
        accepted = []
        for name in gone:
            self.entries.pop(name, None)
        for each in found:
            name = each.fingerprint
            entry = self.entries.get(name)
            if entry is None or entry.is_expired(self.today):
                summary = " ".join(each.finding.summary.split())
                self.entries[name] = Accepted(name, reason, each.subject, each.command, summary, expires)
                accepted.append(name)
        ordered = sorted(self.entries.values(), key=lambda each: (each.subject, each.command, each.fingerprint))
        try:
            write_whole_file(self.file, "\n".join([_HEAD, *(each.as_toml() for each in ordered)]).encode())
        except OSError as error:
            raise UsageError(f"the baseline {self.file} cannot be written: {error.strerror or error}") from None
        return accepted


def _entry(file: Path, number: int, row: Any) -> Accepted:
    if not isinstance(row, dict):
        raise UsageError(f"{file}: finding {number} is no table")
    wrong = next((key for key in row if key not in _KEYS), None)
    if wrong is not None:
        raise UsageError(f"{file}: finding {number} has an unknown key {wrong!r}; known are {', '.join(_KEYS)}")
    texts = {key: row.get(key, "") for key in _KEYS[:-1]}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise UsageError(f"{file}: {key} of finding {number} must be a string")
    if not _FINGERPRINT.fullmatch(texts["fingerprint"]):
        raise UsageError(f"{file}: finding {number} needs a fingerprint of {LENGTH} hexadecimal digits")
    if not texts["reason"].strip():
        raise UsageError(f"{file}: {texts['fingerprint']} needs a reason: say why it is accepted")
    expires = row.get("expires")
    if expires is not None:
        expires = expiry(str(expires), f"{file}: expires of {texts['fingerprint']}")
    return Accepted(expires=expires, **texts)


def expiry(text: str, what: str = "--expires") -> dt.date:
    """Return the day that a text names; raise UsageError if it names none."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{what} is {text!r:.40}, but must be a day such as 2027-03-31") from None


def _quoted(text: str) -> str:
    """Return a basic string of TOML. It has the escapes of JSON, except those of characters beyond 16 bits."""
    escaped = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in escaped)
