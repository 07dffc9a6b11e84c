"""Shapes of faults of the JDK's collections and texts: tables, vectors and buffers that lock themselves."""

import itertools
import threading

_numbers = itertools.count()
_writing = threading.RLock()


class Hashtable:
    """A table with a lock."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._number = next(_numbers)
        self._items: dict[str, object] = {}

    def put(self, key: str, value: object) -> None:
        with self._lock:
            self._items[key] = value

    def size(self) -> int:
        with self._lock:
            return len(self._items)

    def snapshot(self) -> dict[str, object]:
        with self._lock:
            return dict(self._items)


class ComparedTable(Hashtable):
    """JDK-6582568: `same` holds the lock of one table while it asks the other one."""

    def same(self, other: "ComparedTable") -> bool:
        first, second = (self, other) if self._number < other._number else (other, self)
        with first._lock, second._lock:
            return other._items == self._items


class WrittenTable(Hashtable):
    """JDK-6927486: a table writes its values, tables among them, under its own lock."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = _writing

    def attach(self, other: "WrittenTable") -> None:
        """Keep another table as a value."""
        with self._lock:
            self._items["other"] = other

    def write(self, depth: int = 1) -> int:
        """Return how many items a stream would get, to a depth (tables may hold each other)."""
        with self._lock:
            return self._written(self._items, depth)

    def _written(self, items: dict[str, object], depth: int) -> int:
        count = len(items)
        for value in list(items.values()):
            if isinstance(value, WrittenTable) and depth > 0:
                count += value.write(depth - 1)
        return count


class Vector:
    """JDK-6934356: a vector writes its elements, vectors among them, under its own lock."""

    def __init__(self) -> None:
        self._lock = _writing
        self._items: list[object] = []

    def add(self, item: int) -> None:
        with self._lock:
            self._items.append(item)

    def nest(self, other: "Vector") -> None:
        with self._lock:
            self._items.append(other)

    def write(self, depth: int = 1) -> int:
        with self._lock:
            return self._written(self._items, depth)

    def _written(self, items: list[object], depth: int) -> int:
        count = len(items)
        for item in list(items):
            if isinstance(item, Vector) and depth > 0:
                count += item.write(depth - 1)
        return count


class StringBuffer:
    """JDK-4813150: `append` of another buffer asks for its length, then for its characters."""

    def __init__(self, text: str = "abc") -> None:
        self._lock = threading.RLock()
        self._number = next(_numbers)
        self._text = text

    def length(self) -> int:
        with self._lock:
            return len(self._text)

    def get_chars(self, start: int, end: int) -> str:
        with self._lock:
            if not 0 <= start <= end <= len(self._text):
                raise IndexError(f"{start} to {end} of {len(self._text)}")
            return self._text[start:end]

    def text(self) -> str:
        with self._lock:
            return self._text

    def delete(self, start: int = 0, end: int = 3) -> None:
        with self._lock:
            self._text = self._text[:start] + self._text[end:]

    def append(self, other: "StringBuffer") -> int:
        """Add another buffer's text; returns the length."""
        first, second = (self, other) if self._number < other._number else (other, self)
        with first._lock, second._lock:
            self._text += other._text
            return len(self._text)


class InsertBuffer:
    """JDK-7100996: the length of what is inserted is taken before the lock is."""

    def __init__(self, text: str = "abc") -> None:
        self._lock = threading.RLock()
        self._text = text

    def length(self) -> int:
        with self._lock:
            return len(self._text)

    def double(self) -> str:
        """Insert the buffer into itself, at the front."""
        with self._lock:
            return self._insert(self.length())

    def _insert(self, end: int) -> str:
        with self._lock:
            if end > len(self._text):
                raise IndexError(f"end {end} of {len(self._text)}")
            self._text = self._text[:end] + self._text
            return self._text

    def delete_char_at(self, index: int = 0) -> str:
        with self._lock:
            if not 0 <= index < len(self._text):
                raise IndexError(index)
            self._text = self._text[:index] + self._text[index + 1 :]
            return self._text
