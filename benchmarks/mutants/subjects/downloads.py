"""Downloads in limited number: a permit each, given back whatever happens."""

from __future__ import annotations

import threading


class Downloads:
    """Pages have lengths; some addresses do not exist."""

    def __init__(self, most: int = 1) -> None:
        self._permits = threading.Semaphore(max(1, most))
        self._lock = threading.Lock()
        self._pages: dict[str, int] = {"a": 1}
        self._loaded = 0

    def load(self, address: str) -> int:
        """The length of a page; KeyError if there is none."""
        with self._permits:
            with self._lock:
                length = self._pages[address]
                self._loaded += length
            return length

    def publish(self, address: str, length: int) -> None:
        """A new page; ValueError if its length is not positive or the address is taken."""
        self._permits.acquire()
        try:
            with self._lock:
                if length <= 0 or address in self._pages:
                    raise ValueError(address)
                self._pages[address] = length
        finally:
            self._permits.release()

    def retract(self, address: str) -> int:
        """Remove a page; KeyError if there is none."""
        with self._permits:
            with self._lock:
                return self._pages.pop(address)

    def loaded(self) -> int:
        """How much was loaded."""
        with self._lock:
            return self._loaded
