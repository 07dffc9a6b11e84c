"""C44: `dequeue` no longer takes the lock, but still releases it, whoever holds it."""

from __future__ import annotations

from benchmarks.atg.sound import simple_queue as sound


class SimpleQueue(sound.SimpleQueue):
    """First in, first out."""

    def dequeue(self) -> int | None:
        """Take the oldest value; None if there is none."""
        first = self._head.next
        if first is None:
            self._mutex.unlock()
            return None
        value = first.value
        self._head = first
        count = self._count
        self._count = count - 1
        self._mutex.unlock()
        return value
