"""A value that is announced once; readers wait for it."""

from __future__ import annotations

import threading


class Announcement:
    """The first announcement counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known = threading.Event()
        self._value: int | None = None

    def announce(self, value: int) -> bool:
        """Say the value; False if it was said before."""
        with self._lock:
            if self._known.is_set():
                return False
            self._value = value
            self._known.set()
            return True

    def read(self) -> int | None:
        """The value, as soon as it is known."""
        self._known.wait()
        return self._value

    def is_known(self) -> bool:
        """Whether it was announced."""
        return self._known.is_set()
