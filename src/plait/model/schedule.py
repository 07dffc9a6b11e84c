"""A readable schedule: the order in which threads run, each up to a certain line.

Places are named by function, text and occurrence, never by step or byte-code counts, so a schedule replays after the
source was re-formatted and on another Python version. It says how the execution was observed, because switch points
depend on the model.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from typing import Any

from plait.errors import UsageError

_FORMAT = 1
Place = tuple[str, str, str, str, int]  # module, function, kind, text, ordinal: `Site.name`


@dataclass(frozen=True, slots=True)
class Segment:
    """A thread runs until its ``hits``-th visit of ``until``; None means until it cannot continue."""

    thread: int
    until: Place | None = None
    hits: int = 1

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        if self.until is None:
            return {"thread": self.thread}
        module, function, kind, text, ordinal = self.until
        until = {"module": module, "function": function, "kind": kind, "text": text, "ordinal": ordinal}
        return {"thread": self.thread, "until": until, "hits": self.hits}


@dataclass(frozen=True, slots=True)
class Schedule:
    """The segments of one execution, and the model they belong to."""

    segments: tuple[Segment, ...]
    gil: bool = False
    any_timeouts: bool = False

    @property
    def switches(self) -> int:
        """The number of thread switches."""
        return max(0, len(self.segments) - 1)

    def as_json(self) -> dict[str, Any]:
        """Return plain data, read back by `from_json`."""
        return {
            "format": _FORMAT,
            "model": "gil" if self.gil else "free-threaded",
            "timeouts": "any" if self.any_timeouts else "idle",
            "segments": [segment.as_json() for segment in self.segments],
        }

    @classmethod
    def from_json(cls, data: Any) -> Schedule:
        """Return the inverse of `as_json`; anything else is a `UsageError`."""
        try:
            if data["format"] != _FORMAT:
                raise UsageError(f"schedule format {data['format']!r} is not known; this plait reads format {_FORMAT}")
            segments = tuple(_segment(item) for item in data["segments"])
            gil, any_timeouts = _one_of(data["model"], "gil", "free-threaded"), _one_of(data["timeouts"], "any", "idle")
            return cls(segments, gil, any_timeouts)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise UsageError(f"not a schedule: {type(error).__name__}: {error}") from None

    @property
    def token(self) -> str:
        """One line that replays the schedule."""
        text = json.dumps(self.as_json(), separators=(",", ":"))
        return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode()

    @classmethod
    def from_token(cls, token: str) -> Schedule:
        """Return the inverse of `token`."""
        try:
            data = base64.urlsafe_b64decode(token.encode())
            decoder = zlib.decompressobj()
            text = decoder.decompress(data, 1_000_000)
            return cls.from_json(json.loads(text))
        except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
            raise UsageError(f"not a replay token: {error}") from None


def _one_of(value: Any, yes: str, no: str) -> bool:
    if value not in (yes, no):
        raise ValueError(f"{value!r} is neither {yes!r} nor {no!r}")
    return bool(value == yes)


def _segment(item: Any) -> Segment:
    thread = item["thread"]
    if type(thread) is not int or thread < 0:
        raise ValueError(f"{thread!r} is no thread")
    if item.get("until") is None:
        return Segment(thread)
    until, hits = item["until"], item["hits"]
    place = tuple(until[key] for key in ("module", "function", "kind", "text", "ordinal"))
    if not all(type(part) is str for part in place[:4]) or type(place[4]) is not int or type(hits) is not int:
        raise ValueError("a place has the wrong types")
    return Segment(thread, place, hits)
