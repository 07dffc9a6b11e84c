"""A pool of resources that are made when they are first needed."""

import threading


class PoolTimeout(Exception):
    """No resource came free in time."""


class ResourcePool:
    """Lends out at most ``size`` resources."""

    def __init__(self, size: int = 1) -> None:
        if size < 1:
            raise ValueError("size must be positive")
        self._size = size
        self._made = 0
        self._free: list[str] = []
        self._lent: set[str] = set()
        self._condition = threading.Condition()

    def acquire(self, timeout=None) -> str:
        """Take a resource; wait while all are lent, at most ``timeout`` seconds."""
        with self._condition:
            while not self._free and self._made >= self._size:
                if not self._condition.wait(timeout):
                    raise PoolTimeout
            if self._free:
                resource = self._free.pop()
            else:
                self._made += 1
                resource = f"resource {self._made}"
            self._lent.add(resource)
            return resource

    def release(self, resource: str = "resource 1") -> None:
        """Give a resource back."""
        with self._condition:
            if resource not in self._lent:
                raise ValueError(f"{resource} is not lent")
            self._lent.remove(resource)
            self._free.append(resource)
            self._condition.notify()

    def discard(self, resource: str = "resource 1") -> None:
        """Give back a resource that is broken: another one may be made for it."""
        with self._condition:
            if resource not in self._lent:
                raise ValueError(f"{resource} is not lent")
            self._lent.remove(resource)
            self._made -= 1
            self._condition.notify()

    @property
    def lent(self) -> int:
        with self._condition:
            return len(self._lent)
