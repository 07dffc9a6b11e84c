"""C41: `enqueue` no longer takes the lock."""

from __future__ import annotations

from benchmarks.atg.sound import simple_queue as sound


class SimpleQueue(sound.SimpleQueue):
    """First in, first out."""

    def enqueue(self, value: int) -> None:
        """Append a value."""
        node = sound.Node(value)
        tail = self._tail
        tail.next = node
        self._tail = node
        count = self._count
        self._count = count + 1
