"""Reads result files. They may come from anybody: plain JSON, checked field by field, nothing is run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plait.errors import UsageError
from plait.model.result import SCHEMA
from plait.model.schedule import Schedule
from plait.model.test import Test

MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Replayable:
    """One finding of a result file: what it says and what is needed to run it again."""

    kind: str
    summary: str
    test: Test
    schedule: Schedule
    rows: tuple[dict[str, Any], ...]
    subject: str | None = None  # of a review's finding, which says itself whose it is


@dataclass(frozen=True, slots=True)
class ResultFile:
    """What `plait replay` takes from a result file."""

    command: str
    subject: str
    versions: dict[str, str]
    findings: tuple[Replayable, ...]
    probes: tuple[str, ...]


def read_result(file: Path) -> ResultFile:
    """The file's content; `UsageError` in one line if it is not a result file."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UsageError(f"{file} is too large to be a result file")
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is no result file: {_short(error)}") from None
    try:
        return _result(file, data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, SyntaxError) as error:
        raise UsageError(f"{file} is no result file of plait: {type(error).__name__}: {_short(error)}") from None


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160]


def _result(file: Path, data: Any) -> ResultFile:
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UsageError(f"{file} is no result file that this plait reads (it reads schema {SCHEMA})")
    findings = tuple(
        _finding(item) for item in data["findings"] if isinstance(item, dict) and "schedule" in item and "test" in item
    )
    versions = {str(name): _text(label) for name, label in data["versions"].items()}
    probes = tuple(_text(probe) for probe in data.get("probes", ()))
    return ResultFile(_text(data["command"]), _text(data["subject"]), versions, findings, probes)


def _finding(item: dict[str, Any]) -> Replayable:
    rows = tuple(row for row in item.get("interleaving", ()) if isinstance(row, dict))
    test = Test.from_json(item["test"]["source"])
    if not all(isinstance(part, str) for call in (*test.prefix, *test.calls) for part in (call.form, *call.args)):
        raise TypeError("a call is not made of text")
    subject = _text(item["subject"]) if "subject" in item else None
    schedule = Schedule.from_json(item["schedule"])
    return Replayable(_text(item["kind"]), _text(item["summary"]), test, schedule, rows, subject)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value
