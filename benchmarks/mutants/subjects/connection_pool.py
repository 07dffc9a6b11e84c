"""A pool of connections that are made when they are needed and given back after use."""

from __future__ import annotations

import threading


class ConnectionPool:
    """At most ``size`` connections, numbered from 1."""

    def __init__(self, size: int = 1) -> None:
        self._lock = threading.RLock()
        self._returned = threading.Condition(self._lock)
        self._size = max(1, size)
        self._made = 0
        self._idle: list[int] = []
        self._busy: set[int] = set()

    def borrow(self) -> int:
        """A connection for the caller alone, as soon as there is one."""
        with self._lock:
            while not self._idle and self._made >= self._size:
                self._returned.wait()
            if not self._idle:
                self._idle.append(self._connect())
            connection = self._idle.pop()
            self._busy.add(connection)
            return connection

    def _connect(self) -> int:
        with self._lock:
            self._made += 1
            return self._made

    def give_back(self, connection: int) -> None:
        """Return a connection; ValueError if it was not borrowed."""
        with self._lock:
            if connection not in self._busy:
                raise ValueError("not borrowed")
            self._busy.remove(connection)
            self._idle.append(connection)
            self._returned.notify()

    def discard(self, connection: int) -> None:
        """A borrowed connection is broken: another one may be made."""
        with self._lock:
            self._busy.remove(connection)
            self._made -= 1
            self._returned.notify()

    def counts(self) -> tuple[int, int]:
        """How many are idle and busy."""
        with self._lock:
            idle = len(self._idle)
            return idle, len(self._busy)
