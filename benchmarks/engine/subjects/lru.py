"""A least-recently-used cache on an OrderedDict, without a lock."""

from collections import OrderedDict
from functools import partial


class Cache:
    """Keeps the ``capacity`` entries used last."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries = OrderedDict()

    def get(self, key: str) -> object:
        """The entry of a key, or None."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key]

    def put(self, key: str, value: object) -> None:
        """Add an entry; the one unused longest makes room."""
        if key not in self._entries and len(self._entries) >= self._capacity:
            self._entries.popitem(last=False)
        self._entries[key] = value


class Program:
    """One thread looks up the entry that the other one's insertion throws out."""

    def __init__(self) -> None:
        self.cache = Cache(2)
        self.cache.put("a", 1)
        self.cache.put("b", 2)
        self.bodies = [partial(self.cache.get, "a"), partial(self.cache.put, "c", 3)]

    def holds(self) -> bool:
        """The cache has not grown."""
        return len(self.cache._entries) <= 2
