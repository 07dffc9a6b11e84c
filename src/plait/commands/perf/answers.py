"""The forms of the answers that processes with code under test give to `plait perf`. They are not trusted.

Code under test shares its process with what answers. An answer can be a lie, but each part of it has the type that is
expected, and times are times.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from plait.model.foreign import Json
from plait.workers.schema import FrameError, codec


class _Nothing(TypedDict):
    pass


class _Introduced(TypedDict):
    files: list[str | None]
    version: str
    implementation: str
    gil: bool
    layers: Json


class _Times(TypedDict):
    whole: list[int]
    suffix: list[float]


class _Trial(TypedDict, total=False):
    prefix: int
    reason: str
    bad: list[tuple[int, int, str]]


class _Lock(TypedDict):
    lock: str
    acquired: int
    contended: int
    wait_ns: int


class _Profile(TypedDict):
    locks: list[Annotated[dict[str, Any], _Lock]]
    thread_ns: int


class _Methods(TypedDict):
    methods: list[str]


class _Written(TypedDict):
    test: Json


_LOAD: dict[str, Any] = {
    "open": _Introduced, "load": _Nothing, "measure": _Times, "trial": _Trial, "profile": _Profile,
}  # fmt: skip
_AUTHOR: dict[str, Any] = {"open": _Methods, "focus": _Nothing, "next": _Written}


def checked_load(do: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return a measuring process's answer to a command; raise `ValueError` if it has another form."""
    found = _checked(_LOAD[do], answer)
    if do == "measure" and not (found["whole"] and len(found["whole"]) == len(found["suffix"])):
        raise ValueError("its times are none")
    if min([*found.get("whole", ()), *found.get("suffix", ()), found.get("thread_ns", 1)]) <= 0:
        raise ValueError("its times are none")
    if do == "trial" and not ("bad" in found or {"prefix", "reason"} <= found.keys()):
        raise ValueError("it does not say which calls it left out")
    if do == "open" and not found["files"]:
        raise ValueError("it does not say what it has imported")
    return found


def checked_author(do: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a process that writes tests; raise `ValueError` if it has another form."""
    return _checked(_AUTHOR[do], answer)


def _checked(form: Any, answer: dict[str, Any]) -> dict[str, Any]:
    try:
        found: dict[str, Any] = codec(Annotated[dict[str, Any], form]).decode(answer)
    except (FrameError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return found
