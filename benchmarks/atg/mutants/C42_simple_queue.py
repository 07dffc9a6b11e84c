"""C42: `dequeue` no longer takes the lock."""

from __future__ import annotations

from benchmarks.atg.sound import simple_queue as sound


class SimpleQueue(sound.SimpleQueue):
    """First in, first out."""

    def dequeue(self) -> int | None:
        """Take the oldest value; None if there is none."""
        first = self._head.next
        if first is None:
            return None
        value = first.value
        self._head = first
        count = self._count
        self._count = count - 1
        return value
