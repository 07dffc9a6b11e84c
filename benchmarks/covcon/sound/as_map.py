"""A map view of a multimap; every method takes the lock."""

from __future__ import annotations

from threading import RLock


class EntrySet:
    """The entries of a multimap: a view that is built once and sees later changes."""

    def __init__(self, submap: dict[str, list[int]]) -> None:
        self.submap = submap

    def size(self) -> int:
        return len(self.submap)

    def entries(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        return tuple((key, tuple(values)) for key, values in tuple(self.submap.items()))

    def clear(self) -> None:
        self.submap.clear()


class AbstractMap:
    """What a map can do if it has ``entry_set``."""

    _lock = RLock()  # one for all maps: ``equals`` takes another one

    def _view(self) -> EntrySet:
        raise NotImplementedError

    def size(self) -> int:
        with self._lock:
            return self._view().size()

    def is_empty(self) -> bool:
        with self._lock:
            return self._view().size() == 0

    def contains_value(self, value: list[int]) -> bool:
        with self._lock:
            return any(list(values) == list(value) for _, values in self._view().entries())

    def clear(self) -> None:
        with self._lock:
            self._view().clear()

    def values(self) -> tuple[tuple[int, ...], ...]:
        with self._lock:
            return tuple(values for _, values in self._view().entries())

    def put(self, key: str, value: list[int]) -> None:
        with self._lock:
            raise NotImplementedError("entries are made through the multimap")

    def put_all(self, other: dict[str, list[int]]) -> None:
        with self._lock:
            for key, value in other.items():
                self.put(key, value)

    def hash_code(self) -> int:
        with self._lock:
            total = 0
            for key, values in self._view().entries():
                total += sum(map(ord, key)) ^ sum(values)
            return total & 0xFFFFFFFF

    def to_string(self) -> str:
        with self._lock:
            return "{" + ", ".join(f"{key}={list(values)}" for key, values in self._view().entries()) + "}"


class AsMap(AbstractMap):
    """Key to collection of values; ``submap`` is the multimap's own table."""

    def __init__(self, submap: dict[str, list[int]] | None = None) -> None:
        self._submap = {"a": [1], "b": [1, 2]} if submap is None else submap
        self._entry_set: EntrySet | None = None

    def _view(self) -> EntrySet:
        result = self._entry_set
        if result is None:
            result = EntrySet(self._submap)
            self._entry_set = result
        return result

    def entry_set(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The present entries: the live view stays inside, where the lock protects it."""
        with self._lock:
            return self._view().entries()

    def contains_key(self, key: str) -> bool:
        with self._lock:
            return key in self._submap

    def get(self, key: str) -> tuple[int, ...] | None:
        with self._lock:
            values = self._submap.get(key)
            return None if values is None else tuple(values)

    def remove(self, key: str) -> tuple[int, ...] | None:
        with self._lock:
            values = self._submap.pop(key, None)
            return None if values is None else tuple(values)

    def key_set(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._submap)

    def equals(self, other: object) -> bool:
        with self._lock:
            return isinstance(other, AsMap) and self._submap == other._submap

    def __repr__(self) -> str:
        with self._lock:
            return f"AsMap({self._submap})"
