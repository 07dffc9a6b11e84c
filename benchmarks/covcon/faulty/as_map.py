"""A live map view of a multimap without any lock that tests a field again after it has read it."""

from __future__ import annotations


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

    def entry_set(self) -> EntrySet:
        raise NotImplementedError

    def size(self) -> int:
        return self.entry_set().size()

    def is_empty(self) -> bool:
        return self.entry_set().size() == 0

    def contains_value(self, value: list[int]) -> bool:
        return any(list(values) == list(value) for _, values in self.entry_set().entries())

    def clear(self) -> None:
        self.entry_set().clear()

    def values(self) -> tuple[tuple[int, ...], ...]:
        return tuple(values for _, values in self.entry_set().entries())

    def put(self, key: str, value: list[int]) -> None:
        raise NotImplementedError("entries are made through the multimap")

    def put_all(self, other: dict[str, list[int]]) -> None:
        for key, value in other.items():
            self.put(key, value)

    def hash_code(self) -> int:
        total = 0
        for key, values in self.entry_set().entries():
            total += sum(map(ord, key)) ^ sum(values)
        return total & 0xFFFFFFFF

    def to_string(self) -> str:
        return "{" + ", ".join(f"{key}={list(values)}" for key, values in self.entry_set().entries()) + "}"


class AsMap(AbstractMap):
    """Key to collection of values; ``submap`` is the multimap's own table."""

    def __init__(self, submap: dict[str, list[int]] | None = None) -> None:
        self._submap = {"a": [1], "b": [1, 2]} if submap is None else submap
        self._entry_set: EntrySet | None = None

    def entry_set(self) -> EntrySet:
        result = self._entry_set
        if self._entry_set is None:
            result = EntrySet(self._submap)
            self._entry_set = result
        return result

    def contains_key(self, key: str) -> bool:
        return key in self._submap

    def get(self, key: str) -> tuple[int, ...] | None:
        values = self._submap.get(key)
        return None if values is None else tuple(values)

    def remove(self, key: str) -> tuple[int, ...] | None:
        values = self._submap.pop(key, None)
        return None if values is None else tuple(values)

    def key_set(self) -> tuple[str, ...]:
        return tuple(self._submap)

    def equals(self, other: object) -> bool:
        return isinstance(other, AsMap) and self._submap == other._submap

    def __repr__(self) -> str:
        return f"AsMap({self._submap})"
