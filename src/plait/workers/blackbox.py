"""The black box of a worker: a small mapped file that its parent can read, however the worker ends.

The parent reads it as a file and does not map it: if another process truncated the file, access to the map would crash
the parent.

Layout: one byte of state, the number of signs of life, the count of all printed bytes, how the process ends itself, the
note (JSON), and a ring buffer with the end of the output.
"""

from __future__ import annotations

import json
import mmap
import os
import stat
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OUTSIDE, LOADING, RUNNING = 0, 1, 2
_BEAT, _PRINTED = 4, 8  # offsets of the numbers
_OWN_END, _NOTE = (16, 1008), (1024, 48 * 1024)  # offset and size of each text, which begins with its length
_RING, _RING_SIZE = 49 * 1024, 8192
_SIZE = _RING + _RING_SIZE


class _ReadOnly:
    """A file's bytes by position; zero beyond its end."""

    def __init__(self, file: Path) -> None:
        self._descriptor = open_quietly(file)

    def __getitem__(self, place: slice) -> bytes:
        length = place.stop - place.start
        return os.pread(self._descriptor, length, place.start).ljust(length, b"\0")

    def close(self) -> None:
        os.close(self._descriptor)


def open_quietly(file: Path) -> int:
    """Open a regular file of a worker's folder for reading; raise `OSError` if it is no regular file any more."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{file} is no regular file")
    return descriptor


def tail(file: Path, length: int = 8192) -> str:
    """Return the end of a file of a worker's folder."""
    descriptor = open_quietly(file)
    try:
        size = os.fstat(descriptor).st_size
        return os.pread(descriptor, length, max(0, size - length)).decode("utf-8", "replace")
    finally:
        os.close(descriptor)


class BlackBox:
    """The state of a worker. The worker opens it with ``create``, the parent without."""

    _map: Any

    def __init__(self, file: Path, *, create: bool = False) -> None:
        self._beat = 0
        if not create:
            self._map = _ReadOnly(file)
            return
        file.write_bytes(bytes(_SIZE))
        with file.open("r+b") as opened:
            self._map = mmap.mmap(opened.fileno(), _SIZE)

    @property
    def state(self) -> int:
        """The worker's state: outside of any task, loading the subject, or running a task."""
        state: bytes = self._map[0:1]
        return state[0]

    @state.setter
    def state(self, value: int) -> None:
        self._map[0] = value

    @property
    def own_end(self) -> str:
        """The way in which the process was about to end itself, in words; mostly empty."""
        return self._text(_OWN_END)

    @own_end.setter
    def own_end(self, text: str) -> None:
        self._put(_OWN_END, text)

    @property
    def note(self) -> dict[str, Any] | None:
        """The task's description of what it is doing, as plain data."""
        try:
            found = json.loads(self._text(_NOTE))
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    @note.setter
    def note(self, content: Mapping[str, Any]) -> None:
        text = json.dumps(content)
        self._put(_NOTE, text if len(text) < _NOTE[1] - 2 else json.dumps({"too long": text[:1000]}))
        self.tick()

    def tick(self) -> None:
        """Give a sign of life."""
        self._beat = (self._beat + 1) & 0xFFFF_FFFF
        struct.pack_into("<I", self._map, _BEAT, self._beat)

    @property
    def beat(self) -> int:
        """The number of signs of life so far."""
        return int(struct.unpack("<I", self._map[_BEAT : _BEAT + 4])[0])

    def write(self, data: bytes) -> None:
        """Append to the output; only its end is kept."""
        count = self._printed()
        struct.pack_into("<Q", self._map, _PRINTED, count + len(data))
        kept = data[-_RING_SIZE:]
        start = (count + len(data) - len(kept)) % _RING_SIZE
        first = kept[: _RING_SIZE - start]
        rest = kept[len(first) :]
        self._map[_RING + start : _RING + start + len(first)] = first
        if rest:
            self._map[_RING : _RING + len(rest)] = rest

    @property
    def output(self) -> str:
        """The end of the output."""
        count = self._printed()
        ring: bytes = self._map[_RING : _RING + _RING_SIZE]
        if count <= _RING_SIZE:
            return ring[:count].decode("utf-8", "replace")
        start = count % _RING_SIZE
        return f"[{count - _RING_SIZE} bytes left out]\n" + (ring[start:] + ring[:start]).decode("utf-8", "replace")

    def clear(self) -> None:
        """Forget what the last task left."""
        for field in (_OWN_END, _NOTE):
            self._put(field, "")
        struct.pack_into("<Q", self._map, _PRINTED, 0)

    def close(self) -> None:
        """Unmap the file, which stays."""
        self._map.close()

    def _printed(self) -> int:
        return int(struct.unpack("<Q", self._map[_PRINTED : _PRINTED + 8])[0])

    def _text(self, field: tuple[int, int]) -> str:
        start, room = field
        length = min(int(struct.unpack("<H", self._map[start : start + 2])[0]), room - 2)
        text: bytes = self._map[start + 2 : start + 2 + length]
        return text.decode("utf-8", "replace")

    def _put(self, field: tuple[int, int], text: str) -> None:
        start, room = field
        data = text.encode("utf-8", "replace")[: room - 2]
        self._map[start + 2 : start + 2 + len(data)] = data
        struct.pack_into("<H", self._map, start, len(data))
