"""A routing table that is read without a lock and replaced as a whole."""

from __future__ import annotations

import threading


class Routes:
    """Paths to targets."""

    def __init__(self) -> None:
        self._writing = threading.Lock()
        self._table: dict[str, str] = {"/": "index"}

    def add(self, path: str, target: str) -> None:
        """A new route, in both spellings of the path."""
        with self._writing:
            table = dict(self._table)
            table[path] = target
            table[path + "/"] = target
            self._table = table

    def remove(self, path: str) -> bool:
        """Remove a route and its other spelling; False if there is none."""
        with self._writing:
            table = self._table.copy()
            found = table.pop(path, None)
            table.pop(path + "/", None)
            self._table = table
            return found is not None

    def resolve(self, path: str) -> tuple[str | None, str | None]:
        """The targets of both spellings."""
        table = self._table
        return table.get(path), table.get(path + "/")

    def paths(self) -> list[str]:
        """All paths."""
        found = []
        for path in self._table:
            found.append(path)
        return found
