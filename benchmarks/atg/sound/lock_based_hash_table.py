"""A hash table whose buckets share a few locks."""

from __future__ import annotations

from benchmarks.atg.mutex import Mutex

BUCKETS = 4
STRIPES = 2


class Entry:
    """A key with its value in the chain of a bucket."""

    def __init__(self, key: int, value: int, following: Entry | None) -> None:
        self.key = key
        self.value = value
        self.next = following


class Bucket:
    """The beginning of a chain."""

    def __init__(self) -> None:
        self.first: Entry | None = None


class LockBasedHashTable:
    """Integers to integers."""

    def __init__(self) -> None:
        self._buckets = tuple(Bucket() for _ in range(BUCKETS))
        self._stripes = tuple(Mutex() for _ in range(STRIPES))

    def insert(self, key: int, value: int) -> bool:
        """False if the key was there already; its value is exchanged then."""
        stripe = self._stripes[key % STRIPES]
        bucket = self._buckets[key % BUCKETS]
        stripe.lock()
        entry = self._entry(bucket, key)
        if entry is None:
            bucket.first = Entry(key, value, bucket.first)
        else:
            entry.value = value
        stripe.unlock()
        return entry is None

    def erase(self, key: int) -> bool:
        """False if the key is not there."""
        stripe = self._stripes[key % STRIPES]
        bucket = self._buckets[key % BUCKETS]
        stripe.lock()
        entry = self._entry(bucket, key)
        if entry is not None:
            self._unlink(bucket, entry)
        stripe.unlock()
        return entry is not None

    def find(self, key: int) -> int | None:
        """The key's value; None if it is not there."""
        stripe = self._stripes[key % STRIPES]
        bucket = self._buckets[key % BUCKETS]
        stripe.lock()
        entry = self._entry(bucket, key)
        value = None if entry is None else entry.value
        stripe.unlock()
        return value

    def _entry(self, bucket: Bucket, key: int) -> Entry | None:
        entry = bucket.first
        while entry is not None and entry.key != key:
            entry = entry.next
        return entry

    def _unlink(self, bucket: Bucket, entry: Entry) -> None:
        if bucket.first is entry:
            bucket.first = entry.next
            return
        before = bucket.first
        while before.next is not entry:
            before = before.next
        before.next = entry.next
