"""An interleaving step by step: what each step leaves behind, for whoever shows one step at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from plait.report.table import without_primitives, without_private

TAKES = ("acquire", "take")
_DATA = ("read", "write", "insert")
GONE, UNKNOWN = "(not there)", "(not known)"


def steps(
    rows: Sequence[Mapping[str, Any]], racing: Iterable[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """The rows worth showing, each with its ``place`` and the locks that its thread ``holds`` afterwards.

    Those that are also among the ``racing`` ones say so (``race``).
    """
    conflicts = [_identity(row) for row in racing]
    found = []
    for row in without_private(without_primitives(rows)):
        verb, _, place = str(row["access"]).partition(" ")
        holds = [lock for lock in row.get("locks", ()) if not (verb == "release" and lock == place)]
        step = {**row, "place": place, "holds": [*holds, *([place] if verb in TAKES and place not in holds else [])]}
        if verb == "delete" or (verb in _DATA and "value" not in row):
            step["value"] = GONE if place.endswith("]") or verb == "delete" else UNKNOWN
        if _identity(row) in conflicts:
            step["race"] = True
        found.append(step)
    return found


def _identity(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["thread"], row["file"], row["line"], row["access"]


class State(NamedTuple):
    """What is known when a step has been taken: the last values seen, by place, and who holds which locks."""

    values: dict[str, str]
    holds: dict[int, list[str]]


def state(taken: Iterable[Mapping[str, Any]]) -> State:
    """After these steps."""
    values: dict[str, str] = {}
    holds: dict[int, list[str]] = {}
    for step in taken:
        holds[step["thread"]] = list(step["holds"])
        if "value" in step:
            values[step["place"]] = str(step["value"])
    return State(values, holds)
