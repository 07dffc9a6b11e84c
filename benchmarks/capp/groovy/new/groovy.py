"""Groovy: a map for many readers (GROOVY-1890, MemoryAwareConcurrentReadMap).

A writer waits for the readers on a second monitor, the queue, while it still holds the write lock. A reader needs the
write lock to say that it has finished.
"""

import threading


class ConcurrentReadMap:
    """Readers look up without a lock while they are counted; writers wait until there are none."""

    def __init__(self) -> None:
        self.write_lock = threading.RLock()
        self.write_queue = threading.Condition()
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
        with self.write_queue:
            self.write_queue.notify()
        return value

    def put(self, key: str, value: int) -> None:
        """Set the value of the key when nobody reads."""
        with self.write_lock:
            with self.write_queue:
                while self.concurrent_reads != 0:
                    self.write_queue.wait()
            self.table[key] = value
