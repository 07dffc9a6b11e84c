"""A value that comes later."""

from __future__ import annotations

import threading


class AlreadyDoneError(Exception):
    """The value was set before."""


class Promise:
    """`result` waits until the value was set or refused."""

    def __init__(self) -> None:
        self._done = threading.Condition()
        self._state = "pending"
        self._value: int | None = None

    def fulfil(self, value: int) -> None:
        """Set the value; raises if that was done before."""
        with self._done:
            if self._state != "pending":
                raise AlreadyDoneError
            self._value = value
            self._state = "fulfilled"
            self._done.notify_all()

    def refuse(self) -> bool:
        """There will be no value; False if there is one already."""
        with self._done:
            if self._state == "fulfilled":
                return False
            self._state = "refused"
            self._done.notify_all()
            return True

    def result(self) -> int:
        """The value as soon as it is there; LookupError if it was refused."""
        with self._done:
            while self._state == "pending":
                self._done.wait()
            if self._state == "refused":
                raise LookupError("refused")
            return self._value

    def is_done(self) -> bool:
        """Whether a caller of `result` would not wait."""
        with self._done:
            return self._state != "pending"
