"""A schema that is parsed when it is needed; parsing takes several steps."""

from __future__ import annotations

import threading


class Column:
    """A column, complete after `resolve`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.kind: str | None = None

    def resolve(self) -> None:
        """Find out what kind of column it is."""
        self.kind = "int" if self.name.endswith("id") else "text"


class LazySchema:
    """Readers take no lock once something was parsed."""

    def __init__(self, names: str = "id name") -> None:
        self._lock = threading.RLock()
        self._names = names.split()
        self._columns: dict[str, Column] | None = None
        self._key: Column | None = None
        self.parsed = 0

    def columns(self) -> list[str]:
        """The names of all columns."""
        if self._columns is None:
            with self._lock:
                if self._columns is None:
                    self.parsed += 1
                    columns: dict[str, Column] = {}
                    for name in self._names:
                        columns[name] = Column(name)
                    self._columns = columns
        return sorted(self._columns)

    def key(self) -> str | None:
        """The kind of the first column; IndexError if there is none."""
        if self._key is None:
            with self._lock:
                if self._key is None:
                    self.parsed += 1
                    column = Column(self._names[0])
                    column.resolve()
                    self._key = column
        return self._key.kind

    def both(self) -> tuple[int, str | None]:
        """The number of columns, and the kind of the first one."""
        with self._lock:
            return len(self.columns()), self.key()
