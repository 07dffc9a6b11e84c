"""C1: the live map view of a multimap (Google Collections 1.0, AbstractMultimap.AsMap).

Neither version takes a lock. The view of the entries is built lazily, and everything that the generic map derives
from it (`size`, `is_empty`, `contains_value`, `clear`...) fails when `entry_set` hands out None.
"""

from collections.abc import Callable, Iterator


class UnsupportedOperationError(Exception):
    """The view cannot be changed in this way: values are added through the multimap."""


class Entry:
    """One key with a snapshot of its values."""

    def __init__(self, key: str, values: list[int]) -> None:
        self.key = key
        self.values = values


class EntrySet:
    """The live view of all entries of a backing map."""

    def __init__(self, submap: dict[str, list[int]]) -> None:
        self.submap = submap

    def size(self) -> int:
        """How many keys have values."""
        return len(self.submap)

    def entries(self) -> Iterator[Entry]:
        """The entries one by one; a change of the backing map in between raises RuntimeError."""
        for key in self.submap:
            yield Entry(key, list(self.submap[key]))

    def clear(self) -> None:
        """Remove the keys one by one, and empty their lists of values."""
        while len(self.submap) > 0:
            _, values = self.submap.popitem()
            values.clear()


class AbstractMap:
    """What a map can do once it knows its entries."""

    def entry_set(self) -> EntrySet:
        """The live view of the entries."""
        raise NotImplementedError

    def size(self) -> int:
        """How many keys there are."""
        return self.entry_set().size()

    def is_empty(self) -> bool:
        """Whether there is no key."""
        return self.size() == 0

    def contains_key(self, key: str) -> bool:
        """Whether the key has values."""
        return any(entry.key == key for entry in self.entry_set().entries())

    def contains_value(self, values: list[int]) -> bool:
        """Whether some key has exactly these values."""
        return any(entry.values == values for entry in self.entry_set().entries())

    def get(self, key: str) -> list[int] | None:
        """The values of the key, or None."""
        for entry in self.entry_set().entries():
            if entry.key == key:
                return entry.values
        return None

    def put(self, key: str, values: list[int]) -> list[int] | None:
        """Not possible through a view."""
        raise UnsupportedOperationError("put")

    def put_all(self, other: dict[str, list[int]]) -> None:
        """Not possible through a view, unless there is nothing to put."""
        for key, values in other.items():
            self.put(key, values)

    def remove(self, key: str) -> list[int] | None:
        """Not possible without knowing the backing map."""
        raise UnsupportedOperationError("remove")

    def clear(self) -> None:
        """Remove all keys."""
        self.entry_set().clear()

    def key_set(self) -> list[str]:
        """The keys."""
        return [entry.key for entry in self.entry_set().entries()]

    def values(self) -> list[list[int]]:
        """The values of every key."""
        return [entry.values for entry in self.entry_set().entries()]

    def get_or_default(self, key: str, default: list[int]) -> list[int]:
        """The values of the key, or else the default."""
        values = self.get(key)
        return default if values is None else values

    def for_each(self, action: Callable[[str, list[int]], object]) -> None:
        """Call the action with every key and its values."""
        for entry in self.entry_set().entries():
            action(entry.key, entry.values)

    def replace_all(self, function: Callable[[str, list[int]], list[int]]) -> None:
        """Put what the function makes of every entry."""
        for entry in self.entry_set().entries():
            self.put(entry.key, function(entry.key, entry.values))

    def put_if_absent(self, key: str, values: list[int]) -> list[int] | None:
        """The values of the key; they are put if there are none."""
        present = self.get(key)
        return self.put(key, values) if present is None else present

    def remove_entry(self, key: str, values: list[int]) -> bool:
        """Remove the key if it has exactly these values."""
        if self.get(key) != values:
            return False
        self.remove(key)
        return True

    def replace(self, key: str, values: list[int]) -> list[int] | None:
        """Put values for a key that has some."""
        return self.put(key, values) if self.contains_key(key) else None

    def replace_entry(self, key: str, before: list[int], after: list[int]) -> bool:
        """Put values for a key that has exactly the given ones."""
        if self.get(key) != before:
            return False
        self.put(key, after)
        return True

    def compute(
        self, key: str, function: Callable[[str, list[int] | None], list[int] | None]
    ) -> list[int] | None:
        """Put what the function makes of the key and its values, or remove the key."""
        before = self.get(key)
        after = function(key, before)
        if after is not None:
            self.put(key, after)
        elif before is not None:
            self.remove(key)
        return after

    def compute_if_absent(self, key: str, function: Callable[[str], list[int] | None]) -> list[int] | None:
        """The values of the key; what the function makes of it is put if there are none."""
        present = self.get(key)
        if present is not None:
            return present
        made = function(key)
        if made is not None:
            self.put(key, made)
        return made

    def compute_if_present(
        self, key: str, function: Callable[[str, list[int]], list[int] | None]
    ) -> list[int] | None:
        """Put what the function makes of the values of the key, if there are any."""
        before = self.get(key)
        if before is None:
            return None
        after = function(key, before)
        if after is None:
            self.remove(key)
        else:
            self.put(key, after)
        return after

    def merge(
        self, key: str, values: list[int], function: Callable[[list[int], list[int]], list[int] | None]
    ) -> list[int] | None:
        """Put the values, combined by the function with those that the key has."""
        before = self.get(key)
        after = values if before is None else function(before, values)
        if after is None:
            self.remove(key)
        else:
            self.put(key, after)
        return after


class AsMap(AbstractMap):
    """A multimap seen as a map from each key to its values."""

    def __init__(self, submap: dict[str, list[int]]) -> None:
        self._submap = submap
        self._entry_set: EntrySet | None = None

    def entry_set(self) -> EntrySet:
        """The live view of the entries, built on first use."""
        view = self._entry_set
        if view is None:
            view = EntrySet(self._submap)
            self._entry_set = view
        return view

    def contains_key(self, key: str) -> bool:
        """Whether the key has values."""
        return key in self._submap

    def get(self, key: str) -> list[int] | None:
        """A snapshot of the values of the key, or None."""
        values = self._submap.get(key)
        return None if values is None else list(values)

    def key_set(self) -> list[str]:
        """The keys."""
        return list(self._submap)

    def remove(self, key: str) -> list[int] | None:
        """Take the key and its values out of the multimap."""
        values = self._submap.pop(key, None)
        if values is None:
            return None
        removed = list(values)
        values.clear()
        return removed

    def equals(self, other: dict[str, list[int]]) -> bool:
        """Whether the other map has the same keys and values."""
        return self._submap == other

    def hash_code(self) -> int:
        """The sum over all keys of a number made from the key's length and its values."""
        total = 0
        for key in list(self._submap):
            values = self._submap.get(key, [])
            total = total + (len(key) ^ sum(values))
        return total

    def to_string(self) -> str:
        """The backing map as text."""
        return str(self._submap)
