"""Groovy: a map for many readers (GROOVY-1890, MemoryAwareConcurrentReadMap).

A writer waits for the readers on the write lock itself, which it gives up while it waits.
"""

import threading


class ConcurrentReadMap:
    """Readers look up without a lock while they are counted; writers wait until there are none."""

    def __init__(self) -> None:
        self.write_lock = threading.Condition()
        self.concurrent_reads = 0
        self.table: dict[str, int] = {}

    def get(self, key: str) -> int | None:
        """The value of the key, or None."""
        with self.write_lock:
            reads = self.concurrent_reads
            self.concurrent_reads = reads + 1
        value = self.table.get(key)
        with self.write_lock:
            reads = self.concurrent_reads
            self.concurrent_reads = reads - 1
            if self.concurrent_reads == 0:
                self.write_lock.notify_all()
        return value

    def put(self, key: str, value: int) -> None:
        """Set the value of the key when nobody reads."""
        with self.write_lock:
            while self.concurrent_reads != 0:
                self.write_lock.wait()
            self.table[key] = value
