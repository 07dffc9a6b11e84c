"""Streams of `plait check` that go by the plans of an earlier run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from plait.campaign.stream import Chunk


@dataclass(slots=True)
class Followers:
    """What each of them has brought so far: it counts when there was a plan to the end, else it is done again."""

    _streams: dict[int, tuple[bytes, list[Chunk]]] = field(default_factory=dict)  # with how they began

    def __contains__(self, number: int) -> bool:
        return number in self._streams

    def begin(self, number: int, stream: bytes) -> None:
        """A stream may follow from here."""
        self._streams[number] = (stream, [])

    def take(self, number: int, chunks: list[Chunk]) -> None:
        """Chunks went by their plans."""
        self._streams[number][1].extend(chunks)

    def give_up(self, number: int) -> tuple[bytes, list[Chunk]]:
        """The beginning of a stream that follows no more, and what it brought until now."""
        return self._streams.pop(number)

    def chunks(self) -> Iterator[tuple[int, Chunk]]:
        """Everything that counts, stream by stream."""
        return ((number, chunk) for number, (_, chunks) in sorted(self._streams.items()) for chunk in chunks)
