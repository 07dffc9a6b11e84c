"""A map wrapper whose instances share one lock, so that maps that hold each other cannot deadlock."""

from __future__ import annotations

from threading import RLock
from zlib import crc32


def hash_of(value: object) -> int:
    """A hash that is the same in every process; asks maps for theirs."""
    if isinstance(value, SynchronizedMap):
        return value.hash_code()
    if value is None or isinstance(value, (bool, int)):
        return int(value or 0) & 0xFFFFFFFF
    if isinstance(value, (str, bytes, float)):
        return crc32(repr(value).encode())
    return crc32(type(value).__name__.encode())


def text_of(value: object) -> str:
    """The text of a value; asks maps for theirs."""
    if isinstance(value, SynchronizedMap):
        return value.to_string()
    if value is None or isinstance(value, (bool, int, str, bytes, float)):
        return repr(value)
    return type(value).__name__


def same(left: object, right: object) -> bool:
    """Equality of keys and values: maps by their own ``equals``, the rest by ``==``."""
    if left is right:
        return True
    if isinstance(left, SynchronizedMap):
        return left.equals(right)
    return not isinstance(right, SynchronizedMap) and type(left) is type(right) and left == right


class Hashtable:
    """The wrapped map, fully locked itself: an association list in insertion order.

    ``computing`` is the guard of hash, text and comparison against a table that contains itself.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self.entries: list[tuple[object, object]] = []
        self.computing = False

    def _index(self, key: object) -> int:
        for index, (known, _) in enumerate(self.entries):
            if same(known, key):
                return index
        return -1

    def size(self) -> int:
        with self._lock:
            return len(self.entries)

    def contains_key(self, key: object) -> bool:
        with self._lock:
            return self._index(key) >= 0

    def contains_value(self, value: object) -> bool:
        with self._lock:
            return any(same(known, value) for _, known in self.entries)

    def get(self, key: object) -> object:
        with self._lock:
            index = self._index(key)
            return None if index < 0 else self.entries[index][1]

    def put(self, key: object, value: object) -> object:
        with self._lock:
            index = self._index(key)
            if index < 0:
                self.entries.append((key, value))
                return None
            old = self.entries[index][1]
            self.entries[index] = (key, value)
            return old

    def remove(self, key: object) -> object:
        with self._lock:
            index = self._index(key)
            return None if index < 0 else self.entries.pop(index)[1]

    def clear(self) -> None:
        with self._lock:
            self.entries.clear()

    def snapshot(self) -> tuple[tuple[object, object], ...]:
        with self._lock:
            return tuple(self.entries)

    def equals(self, other: SynchronizedMap) -> bool:
        with self._lock:
            if self.computing:
                return True
            self.computing = True
            try:
                if other.size() != len(self.entries):
                    return False
                return all(other.contains_key(key) and same(value, other.get(key)) for key, value in self.snapshot())
            finally:
                self.computing = False

    def hash_code(self) -> int:
        with self._lock:
            if self.computing:
                return 0
            self.computing = True
            try:
                total = 0
                for key, value in self.snapshot():
                    total += hash_of(key) ^ hash_of(value)
                return total & 0xFFFFFFFF
            finally:
                self.computing = False

    def to_string(self) -> str:
        with self._lock:
            if self.computing:
                return "(this map)"
            self.computing = True
            try:
                return "{" + ", ".join(f"{text_of(key)}={text_of(value)}" for key, value in self.snapshot()) + "}"
            finally:
                self.computing = False


class SynchronizedMap:
    """Forwards each operation to the wrapped table under one mutex."""

    _lock = RLock()  # one for all maps: operations on one reach others through keys, values and arguments

    def __init__(self, m: Hashtable | None = None) -> None:
        self.m = Hashtable() if m is None else m

    def size(self) -> int:
        with self._lock:
            return self.m.size()

    def is_empty(self) -> bool:
        with self._lock:
            return self.m.size() == 0

    def contains_key(self, key: object) -> bool:
        with self._lock:
            return self.m.contains_key(key)

    def contains_value(self, value: object) -> bool:
        with self._lock:
            return self.m.contains_value(value)

    def get(self, key: object) -> object:
        with self._lock:
            return self.m.get(key)

    def put(self, key: object, value: object) -> object:
        with self._lock:
            return self.m.put(key, value)

    def remove(self, key: object) -> object:
        with self._lock:
            return self.m.remove(key)

    def put_all(self, other: SynchronizedMap) -> None:
        with self._lock:
            for key, value in other.entry_set():
                self.m.put(key, value)

    def clear(self) -> None:
        with self._lock:
            self.m.clear()

    def key_set(self) -> tuple[object, ...]:
        with self._lock:
            return tuple(key for key, _ in self.m.snapshot())

    def values(self) -> tuple[object, ...]:
        with self._lock:
            return tuple(value for _, value in self.m.snapshot())

    def entry_set(self) -> tuple[tuple[object, object], ...]:
        with self._lock:
            return self.m.snapshot()

    def equals(self, other: object) -> bool:
        with self._lock:
            if other is self:
                return True
            return isinstance(other, SynchronizedMap) and self.m.equals(other)

    def hash_code(self) -> int:
        with self._lock:
            return self.m.hash_code()

    def to_string(self) -> str:
        with self._lock:
            return self.m.to_string()

    def __repr__(self) -> str:
        with self._lock:
            return f"SynchronizedMap({self.m.to_string()})"
