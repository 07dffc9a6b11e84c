"""Hands messages over one at a time; it can be closed."""

from __future__ import annotations

import threading


class ClosedError(Exception):
    """The mailbox is closed."""


class Mailbox:
    """`send` waits until the last message was received, `receive` until there is one."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._sent = threading.Condition(self._lock)
        self._received = threading.Condition(self._lock)
        self._message: int | None = None
        self._closed = False

    def send(self, message: int) -> None:
        """Leave a message; raises when the box is closed."""
        with self._lock:
            while self._message is not None and not self._closed:
                self._received.wait()
            if self._closed:
                raise ClosedError
            self._message = message
            self._sent.notify()

    def receive(self) -> int:
        """Take the message; raises when the box is closed and empty."""
        with self._lock:
            while self._message is None and not self._closed:
                self._sent.wait()
            if self._message is None:
                raise ClosedError
            message = self._message
            self._message = None
            self._received.notify()
            return message

    def close(self) -> None:
        """Nobody has to wait any more."""
        with self._lock:
            self._closed = True
            self._sent.notify_all()
            self._received.notify_all()

    def has_message(self) -> bool:
        """Whether there is one."""
        with self._lock:
            return self._message is not None
