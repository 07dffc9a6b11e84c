"""Plugins by name: the table is replaced at every change, so that it can be walked along without a lock."""

from __future__ import annotations

import threading


class Plugins:
    """Names to versions."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._versions: dict[str, int] = {}
        self._order: tuple[str, ...] = ()

    def install(self, name: str, version: int) -> None:
        """Add a plugin or change its version."""
        with self._lock:
            versions = dict(self._versions)
            versions[name] = version
            self._versions = versions

    def uninstall(self, name: str) -> int:
        """Remove a plugin; KeyError if there is none. Returns its version."""
        with self._lock:
            versions = dict(self._versions)
            version = versions.pop(name)
            self._versions = versions
            return version

    def upgrade(self, name: str) -> int:
        """The next version; a plugin that is not there begins with 1."""
        with self._lock:
            self.install(name, self._versions.get(name, 0) + 1)
            return self._versions[name]

    def listed(self) -> list[tuple[str, int]]:
        """Names with versions."""
        found = []
        for name, version in self._versions.items():
            found.append((name, version))
        return found
