"""C91: insertion never gives its lock back."""

from __future__ import annotations

from benchmarks.atg.sound import lock_based_hash_table as sound


class LockBasedHashTable(sound.LockBasedHashTable):
    """Integers to integers."""

    def insert(self, key: int, value: int) -> bool:
        """False if the key was there already; its value is exchanged then."""
        stripe = self._stripes[key % sound.STRIPES]
        bucket = self._buckets[key % sound.BUCKETS]
        stripe.lock()
        entry = self._entry(bucket, key)
        if entry is None:
            bucket.first = sound.Entry(key, value, bucket.first)
        else:
            entry.value = value
        return entry is None
