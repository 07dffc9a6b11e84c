"""Resources behind a semaphore: as many users as there are resources."""

from __future__ import annotations

import threading


class ResourcePool:
    """Numbers of resources; `use` needs one for the time of the call."""

    def __init__(self, size: int = 1) -> None:
        self._size = max(1, size)
        self._permits = threading.Semaphore(self._size)
        self._lock = threading.Lock()
        self._free = list(range(self._size))
        self._log: dict[int, int] = {}

    def use(self, divisor: int) -> float:
        """Compute something with a resource; ZeroDivisionError for 0."""
        with self._permits:
            with self._lock:
                resource = self._free.pop()
            try:
                return 12 / divisor
            finally:
                with self._lock:
                    self._free.append(resource)

    def log(self, key: int) -> int:
        """Count a key while a resource is in use; KeyError for less than 0."""
        self._permits.acquire()
        try:
            if key < 0:
                raise KeyError(key)
            with self._lock:
                count = self._log.get(key, 0) + 1
                self._log[key] = count
        finally:
            self._permits.release()
        return count

    def logged(self, key: int) -> int:
        """How often a key was counted."""
        with self._lock:
            return self._log.get(key, 0)
