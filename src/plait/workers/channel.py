"""The channel between a parent and one worker: two pipes, one for orders and one for answers.

Orders are pickled: a worker can trust its parent. Answers are *frames*: a length, then JSON of a declared type
(`plait.workers.schema`). Code under test is in the process that answers, so a parent reads frames as if an attacker had
written them. Length, number of parts, depth and types are limited. A violation is a `FrameError`, which costs only the
worker. An answer can still be a lie, but it can never be a program.
"""

from __future__ import annotations

import json
import os
import pickle
import struct
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from plait.workers.schema import Codec, FrameError, codec, spelled

LONGEST_FRAME = 64 * 1024 * 1024
"""Maximum length in bytes; the states of streams, by far the largest content, have some hundred thousand."""
MOST_PARTS = 4_000_000
"""Maximum number of values in a frame. Each takes up to a hundred bytes of the reader's memory, however short it is."""
_LENGTH, _ORDER = struct.Struct(">Q"), struct.Struct(">QQ")
_READ = 1 << 18

VALUE, USAGE, MEMORY, BUG, READY = "value", "usage", "memory", "bug", "ready"
UNREAD, UNSENT, SPOILT = "unread", "unsent", "spoilt"
"""The endings of a task after which its process cannot be used: code under test has broken plait's own code in it."""


class StoppedAct(TypedDict):
    """A forbidden act that was stopped: ``act`` as ``--allow`` names it, the ``call``, and its place ``at``."""

    act: str
    call: str
    at: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of a task. ``number`` is that of its order, ``content`` the value, or the text of an error.

    ``stopped`` are acts that the guard stopped, ``output`` is the end of the output, ``changed`` names the settings of
    the process that were changed. ``retire`` asks for another worker for the next task. ``about`` is what a
    `UsageError` is about.
    """

    number: int
    kind: str
    said: str = ""
    stopped: tuple[Annotated[dict[str, str], StoppedAct], ...] = ()
    output: str = ""
    changed: tuple[str, ...] = ()
    retire: bool = False
    about: str = ""


def write_frame(reply: Reply, value: Any = None, kind: Any = None) -> bytes:
    """Return a frame with a reply and a value of a type; raise `FrameError` if the value has another type."""
    try:
        return _framed([_reply().encode(reply), _written(codec(kind), value)])  # type: ignore[misc]
    except FrameError:
        raise
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        raise FrameError(f"{type(error).__name__}: {error}") from None


def read_frame(data: bytes | memoryview, kind: Any = None) -> tuple[Reply, Any]:
    """Return the content of a frame, whose length has been read; raise `FrameError` if it is invalid."""
    raw = bytes(data)
    if sum(map(raw.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise FrameError("there are too many parts in it")
    try:
        tree = json.loads(raw.decode("ascii"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"it is no JSON: {error}"[:200]) from None
    if type(tree) is not list or len(tree) != 2:
        raise FrameError("a reply and a value were expected")
    reply: Reply = _reply().decode(tree[0])
    try:
        return reply, codec(kind).decode(tree[1]) if reply.kind == VALUE else None
    except RecursionError:
        raise FrameError("it is too deep") from None


def _reply() -> Codec:
    return codec(Reply)


def _refuse(name: str) -> Any:
    raise FrameError(f"{name} is no number")


def _written(how: Codec, value: Any) -> Any:
    return value if how.encode is None else how.encode(value)


def _framed(tree: Any) -> bytes:
    try:
        text = json.dumps(tree, separators=(",", ":"), allow_nan=False)
    except ValueError:  # a number that JSON does not know, or of more digits than the interpreter writes
        text = json.dumps(spelled(tree), separators=(",", ":"))
    data = text.encode("ascii")
    if len(data) > LONGEST_FRAME:
        raise FrameError(f"an answer of {len(data)} bytes is too long to be sent")
    return _LENGTH.pack(len(data)) + data


class Incoming:
    """Collects the bytes of frames. At most one frame is in transit, because at most one order is."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> bytes | None:
        """Add some bytes; return the frame, without its length, once it is complete."""
        self._data += data
        if len(self._data) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._data)
        if length > LONGEST_FRAME:
            raise FrameError(f"it says to have {length} bytes")
        if len(self._data) < _LENGTH.size + length:
            return None
        if len(self._data) > _LENGTH.size + length:
            raise FrameError("there is more than one")
        frame = bytes(memoryview(self._data)[_LENGTH.size :])
        self._data = bytearray()
        return frame

    def read(self, descriptor: int) -> tuple[bool, bytes | None]:
        """Read the available bytes; return whether the other end is open, and the frame if it is complete."""
        data = os.read(descriptor, _READ)
        return bool(data), self.feed(data)


# -- orders ---------------------------------------------------------------------------------------------------------


def write_order(number: int, *content: Any) -> bytes:
    """Return the bytes of an order with a number."""
    data = pickle.dumps(content, protocol=5)
    return _ORDER.pack(len(data), number) + data


def read_order(descriptor: int) -> tuple[int, bytes] | None:
    """Return the number of an order and its pickled content; None if the parent has ended. For workers only."""
    head = _exactly(descriptor, _ORDER.size)
    if head is None:
        return None
    length, number = _ORDER.unpack(head)
    content = _exactly(descriptor, length)
    return None if content is None else (number, content)


def _exactly(descriptor: int, count: int) -> bytes | None:
    parts = []
    while count:
        data = os.read(descriptor, min(count, 1 << 20))
        if not data:
            return None
        parts.append(data)
        count -= len(data)
    return b"".join(parts)


def send_frame(descriptor: int, data: bytes) -> None:
    """Write a whole frame. For workers only."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
