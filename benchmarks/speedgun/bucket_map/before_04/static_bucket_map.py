"""StaticBucketMap before change 4: its size is added up without a lock.

After Apache Commons Collections: a map with a fixed number of buckets, each with its own lock.
"""

import threading


class StaticBucketMap:
    """Threads that use different buckets do not wait for each other."""

    def __init__(self, buckets: int = 255):
        self._buckets = [{} for _ in range(buckets)]
        self._locks = [threading.Lock() for _ in range(buckets)]
        self._counts = [0] * buckets

    def size(self):
        total = 0
        for count in self._counts:
            total += count
        return total

    def is_empty(self):
        return self.size() == 0

    def get(self, key: str):
        place = hash(key) % len(self._buckets)
        with self._locks[place]:
            return self._buckets[place].get(key)

    def put(self, key: str, value: int):
        place = hash(key) % len(self._buckets)
        with self._locks[place]:
            self._buckets[place][key] = value
            self._counts[place] = len(self._buckets[place])

    def remove(self, key: str):
        place = hash(key) % len(self._buckets)
        with self._locks[place]:
            self._buckets[place].pop(key, None)
            self._counts[place] = len(self._buckets[place])

    def contains_key(self, key: str):
        place = hash(key) % len(self._buckets)
        with self._locks[place]:
            return key in self._buckets[place]
