"""Reads the accounts that the pytest plug-in writes about tests. They are not trusted.

The plug-in runs in the process of the tests, so code under test could have written the file. Therefore every key is
checked before it is used.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any, TypedDict

from plait.errors import UsageError
from plait.model.foreign import Json
from plait.workers.blackbox import open_quietly
from plait.workers.channel import LONGEST_FRAME
from plait.workers.schema import FrameError, codec

LONGEST_OUTPUT = 1 << 20
"""Bytes of pytest's output that are read."""


class _AllSteps(TypedDict):
    thread: int
    file: str
    line: int
    function: str
    code: str
    access: str
    location: int


class _StepKeys(_AllSteps, total=False):
    """The keys of a step."""

    value: str
    locks: list[str]


StepRow = Annotated[dict[str, Any], _StepKeys]  # checked here; readers of the account make an `AccessStep` of it


class FailureKeys(TypedDict):
    """The keys of a failure."""

    kind: str
    summary: str
    details: list[str]
    exception: str | None
    preemptions: int
    token: str | None
    schedule: Json
    interleaving: list[StepRow]
    reachable: dict[str, bool | None]
    confirmed_on_threads: bool | None
    text: str
    names: dict[str, str]


class _AllAccounts(TypedDict):
    test: str
    ran: str
    outcome: str


class _AccountKeys(_AllAccounts, total=False):
    """The keys of a test."""

    why: str
    schedules: int
    search: str | None
    transitions: int | None
    preemption_bound: int | None
    exhausted: bool
    threads: int
    backend: str
    bugs: list[str]
    failure: Annotated[dict[str, Any], FailureKeys]


Account = Annotated[dict[str, Any], _AccountKeys]
_MISSING = {"schedules": 0, "search": None, "why": "it does not say"}


def read_accounts(file: Path) -> tuple[list[dict[str, Any]], Any]:
    """Return the accounts of a complete run, and its confinement; raise `UsageError` if they are malformed."""
    try:
        whole = json.loads(_text(file))
        return _accounts(whole["tests"]), whole.get("layers")
    except (FrameError, OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        raise UsageError(f"what pytest tells of its tests cannot be read: {_short(error)}") from None


def read_account_lines(file: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the accounts that a killed run had written so far, and the tests that it had begun."""
    try:
        lines = [json.loads(line) for line in _text(file).splitlines() if line.endswith("}")]
        started = [str(line["started"]) for line in lines if "started" in line]
        return _accounts([line for line in lines if "started" not in line]), started
    except (FrameError, OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        raise UsageError(f"what pytest tells of its tests cannot be read: {_short(error)}") from None


def _accounts(found: Any) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = codec(list[Account]).decode(found)
    return [{**_MISSING, **each} if each["ran"] != "not under control" else each for each in told]


def _text(file: Path) -> str:
    descriptor = open_quietly(file)
    try:
        size = os.fstat(descriptor).st_size
        if size > LONGEST_FRAME:
            raise FrameError(f"it has {size} bytes")
        return os.pread(descriptor, size, 0).decode("utf-8")
    finally:
        os.close(descriptor)


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
