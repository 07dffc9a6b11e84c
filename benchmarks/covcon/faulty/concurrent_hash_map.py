"""A segmented map whose ``put_all`` walks the other map weakly, entry by entry, instead of taking a snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from threading import RLock
from zlib import crc32

SEGMENTS = 2
DEEPEST = 40  # stands for the end of the stack: a map that contains itself has no hash


def hash_of(value: object, depth: int = 0) -> int:
    """A hash that is the same in every process; goes down into maps."""
    if isinstance(value, ConcurrentHashMap):
        if depth >= DEEPEST:
            raise RecursionError("the map contains itself")
        total = 0
        for key, item in value._entries():
            total += hash_of(key, depth + 1) ^ hash_of(item, depth + 1)
        return total & 0xFFFFFFFF
    if value is None or isinstance(value, (bool, int, float)):
        return hash(value or 0) & 0xFFFFFFFF
    if isinstance(value, (str, bytes)):
        return crc32(repr(value).encode())
    return crc32(type(value).__name__.encode())


def text_of(value: object, depth: int = 0) -> str:
    """The text of a value; goes down into maps."""
    if isinstance(value, ConcurrentHashMap):
        if depth >= DEEPEST:
            raise RecursionError("the map contains itself")
        parts = [f"{text_of(key, depth + 1)}={text_of(item, depth + 1)}" for key, item in value._entries()]
        return "{" + ", ".join(parts) + "}"
    if value is None or isinstance(value, (bool, int, str, bytes, float)):
        return repr(value)
    return type(value).__name__


class ConcurrentHashMap:
    """Neither keys nor values may be None."""

    _lock = RLock()  # one for all maps: a map can be an argument, a key or a value of another

    def __init__(self) -> None:
        self.segments: list[dict[object, object]] = [{} for _ in range(SEGMENTS)]

    def _segment(self, key: object) -> dict[object, object]:
        if key is None:
            raise ValueError("no None keys")
        place = 0 if isinstance(key, ConcurrentHashMap) else hash_of(key) % SEGMENTS
        return self.segments[place]

    def _entries(self) -> Iterator[tuple[object, object]]:
        """The entries segment by segment; what happens to the map meanwhile may or may not be seen."""
        for segment in self.segments:
            for key in tuple(segment):
                value = segment.get(key)
                if value is not None:
                    yield key, value

    def size(self) -> int:
        with self._lock:
            return sum(1 for _ in self._entries())

    def is_empty(self) -> bool:
        with self._lock:
            return not any(self.segments)

    def get(self, key: object) -> object:
        with self._lock:
            return self._segment(key).get(key)

    def contains_key(self, key: object) -> bool:
        with self._lock:
            return key in self._segment(key)

    def contains_value(self, value: object) -> bool:
        with self._lock:
            if value is None:
                raise ValueError("no None values")
            return any(known is value or known == value for _, known in self._entries())

    def contains(self, value: object) -> bool:
        """The older name of `contains_value`."""
        with self._lock:
            return self.contains_value(value)

    def put(self, key: object, value: object) -> object:
        with self._lock:
            if value is None:
                raise ValueError("no None values")
            segment = self._segment(key)
            old = segment.get(key)
            segment[key] = value
            return old

    def put_if_absent(self, key: object, value: object) -> object:
        with self._lock:
            old = self.get(key)
            if old is None:
                self.put(key, value)
            return old

    def put_all(self, other: ConcurrentHashMap) -> None:
        for key, value in other._entries():
            self.put(key, value)

    def remove(self, key: object) -> object:
        with self._lock:
            return self._segment(key).pop(key, None)

    def remove_entry(self, key: object, value: object) -> bool:
        """Remove the key if it has this value."""
        with self._lock:
            old = self.get(key)
            if old is None or old != value:
                return False
            self.remove(key)
            return True

    def replace(self, key: object, value: object) -> object:
        """Give a present key another value; the old one."""
        with self._lock:
            return self.put(key, value) if self.contains_key(key) else None

    def replace_value(self, key: object, old_value: object, new_value: object) -> bool:
        """Give the key another value if it has the old one."""
        with self._lock:
            old = self.get(key)
            if old is None or old != old_value:
                return False
            self.put(key, new_value)
            return True

    def clear(self) -> None:
        with self._lock:
            for segment in self.segments:
                segment.clear()

    def keys(self) -> tuple[object, ...]:
        with self._lock:
            return tuple(key for key, _ in self._entries())

    def elements(self) -> tuple[object, ...]:
        with self._lock:
            return tuple(value for _, value in self._entries())

    def key_set(self) -> tuple[object, ...]:
        with self._lock:
            return self.keys()

    def values(self) -> tuple[object, ...]:
        with self._lock:
            return self.elements()

    def entry_set(self) -> tuple[tuple[object, object], ...]:
        with self._lock:
            return tuple(self._entries())

    def equals(self, other: object) -> bool:
        with self._lock:
            if not isinstance(other, ConcurrentHashMap):
                return False
            return other is self or self.segments == other.segments

    def hash_code(self) -> int:
        with self._lock:
            return hash_of(self)

    def to_string(self) -> str:
        with self._lock:
            return text_of(self)

    def __repr__(self) -> str:
        with self._lock:
            entries = ((key, "(this map)" if value is self else value) for key, value in self._entries())
            return f"ConcurrentHashMap({', '.join(f'{text_of(key)}={text_of(value)}' for key, value in entries)})"
