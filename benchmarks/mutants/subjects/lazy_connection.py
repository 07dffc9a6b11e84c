"""A connection that is opened by whoever needs it first."""

from __future__ import annotations

import threading


class Connection:
    """What is opened."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_open = False
        self.user = ""

    def login(self, user: str) -> None:
        """Open it for a user."""
        self.user = user
        self.is_open = True


class LazyConnection:
    """Double-checked: the usual case takes no lock."""

    def __init__(self, user: str = "me") -> None:
        self._lock = threading.Lock()
        self._user = user
        self._connection: Connection | None = None
        self._statement: list[str] | None = None
        self._opened = 0

    def connection(self) -> tuple[int, bool, str]:
        """Number, state and user of the connection."""
        if self._connection is None:
            with self._lock:
                if self._connection is None:
                    self._opened += 1
                    connection = Connection(self._opened)
                    connection.login(self._user)
                    self._connection = connection
        found = self._connection
        return found.number, found.is_open, found.user

    def statement(self) -> list[str]:
        """The prepared statement, made once."""
        if self._statement is None:
            with self._lock:
                if self._statement is None:
                    self._opened += 10
                    statement = [self._user]
                    statement.append("select")
                    self._statement = statement
        return list(self._statement)

    def opened(self) -> int:
        """How often something was opened."""
        with self._lock:
            return self._opened
