"""Groovy: a map for many readers (GROOVY-1890, MemoryAwareConcurrentReadMap).

A writer waits for the readers on a second monitor, the queue, while it still holds the write lock. A reader needs the
write lock to say that it has finished.

Around the fault, as in the original: a table of chained entries whose keys and values are references that can be
cleared, a queue of cleared references that writers work off first, a table that grows. Left out: the collector that
clears references of its own accord; the strong and the removing write, which wait as this one does.
"""

import threading
from collections import deque
from typing import Any

INITIAL_CAPACITY = 16
LOAD_FACTOR = 0.75


class Ref:
    """A reference that can be cleared."""

    def __init__(self, value: Any, entry: "Entry") -> None:
        self.value = value
        self.entry = entry


class Entry:
    """A link of the chain at one place of the table."""

    def __init__(self, key: str, value: int, hash_: int, next_: "Entry | None") -> None:
        self.hash = hash_
        self.next = next_
        self.key: Ref | None = None
        self.value: Ref | None = None
        self.set_value(key, value)

    def set_value(self, key: str, value: int) -> None:
        """Refer to a new value."""
        self.value = Ref(value, self)
        self.key = Ref(key, self)

    def get_key(self) -> str | None:
        """The key, unless it was cleared."""
        key = self.key
        return None if key is None else key.value

    def get_value(self) -> int | None:
        """The value, unless it was cleared."""
        value = self.value
        return None if value is None else value.value

    def is_valid(self) -> bool:
        """Whether neither was cleared."""
        return self.get_value() is not None and self.get_key() is not None


class ConcurrentReadMap:
    """Readers look up without a lock while they are counted; writers wait until there are none."""

    def __init__(self) -> None:
        self.write_lock = threading.Condition()
        self.write_queue = threading.Condition()
        self.concurrent_reads = 0
        self.table: list[Entry | None] = [None] * INITIAL_CAPACITY
        self.table_size = INITIAL_CAPACITY
        self.size = 0
        self.threshold = int(INITIAL_CAPACITY * LOAD_FACTOR)
        self.queue: deque[Ref] = deque()

    def get(self, key: str) -> int | None:
        """The value of the key, or None."""
        hash_ = index_of(key)
        self.lock_write()
        try:
            current = self.table[hash_ % len(self.table)]
            while current is not None:
                if current.hash == hash_:
                    old_key, old_value = current.get_key(), current.get_value()
                    if current.is_valid() and old_key == key:
                        return old_value
                current = current.next
        finally:
            self.unlock_write()
        return None

    def lock_write(self) -> None:
        """One more reader."""
        with self.write_lock:
            self.concurrent_reads = self.concurrent_reads + 1

    def unlock_write(self) -> None:
        """One reader has finished."""
        with self.write_lock:
            self.concurrent_reads = self.concurrent_reads - 1
        with self.write_queue:
            self.write_queue.notify()

    def put(self, key: str, value: int) -> None:
        """Set the value of the key when nobody reads."""
        with self.write_lock:
            self.wait_for_write_state()
            self.put_non_blocking(key, value)

    def wait_for_write_state(self) -> None:
        """Wait until nobody reads."""
        with self.write_queue:
            while self.concurrent_reads != 0:
                self.write_queue.wait()

    def put_non_blocking(self, key: str, value: int) -> None:
        """Replace the entry of the key, or add one in front of its chain."""
        self.remove_dereferenced_entries()
        hash_ = index_of(key)
        index = hash_ % len(self.table)
        current = self.table[index]
        while current is not None:
            if current.hash == hash_ and current.is_valid() and current.get_key() == key:
                current.set_value(key, value)
                return
            current = current.next
        self.table[index] = Entry(key, value, hash_, self.table[index])
        self.size = self.size + 1
        if self.size > self.threshold:
            self.rehash()

    def remove_dereferenced_entries(self) -> None:
        """Unlink the entries of references that were cleared."""
        while len(self.queue) > 0:
            gone = self.queue.popleft().entry
            index = gone.hash % len(self.table)
            before, current = None, self.table[index]
            while current is not None and current is not gone:
                before, current = current, current.next
            if current is not None:
                if before is None:
                    self.table[index] = current.next
                else:
                    before.next = current.next
                self.size = self.size - 1

    def rehash(self) -> None:
        """Double the table."""
        with self.write_lock:
            self.wait_for_write_state()
            self.table_size = self.table_size * 2
            table: list[Entry | None] = [None] * self.table_size
            for head in self.table:
                current = head
                while current is not None:
                    following, index = current.next, current.hash % self.table_size
                    current.next, table[index] = table[index], current
                    current = following
            self.table = table
            self.threshold = int(self.table_size * LOAD_FACTOR)


def index_of(key: str) -> int:
    """A hash that is the same in every process."""
    return sum(key.encode())
