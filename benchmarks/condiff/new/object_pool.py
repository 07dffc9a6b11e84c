"""C6: a pool of reusable objects (java-design-patterns 1.17.0, issue 621).

Every method holds the pool's lock. In the faulty version `to_string` reads the two sizes without it, and shows a pool
that never existed.
"""

import functools
import threading
from dataclasses import dataclass


def synchronized(method):
    """Hold the object's lock for the whole method."""

    @functools.wraps(method)
    def locked(self, *args, **kwargs):
        with self._lock:
            return method(self, *args, **kwargs)

    return locked


@dataclass(frozen=True)
class Oliphant:
    """What is pooled; the number tells the instances apart."""

    number: int


class ObjectPool:
    """Hands out instances that were handed back before, and creates one when there is none."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._available: set[Oliphant] = set()
        self._in_use: set[Oliphant] = set()
        self._created = 0

    @synchronized
    def create(self) -> Oliphant:
        """A new instance, not yet in the pool."""
        number = self._created
        self._created = number + 1
        return Oliphant(number)

    @synchronized
    def check_out(self) -> Oliphant:
        """An instance for the caller alone."""
        if len(self._available) == 0:
            self._available.add(self.create())
        instance = next(iter(self._available))
        self._available.remove(instance)
        self._in_use.add(instance)
        return instance

    @synchronized
    def check_in(self, instance: Oliphant) -> None:
        """Hand an instance back."""
        self._in_use.discard(instance)
        self._available.add(instance)

    def to_string(self) -> str:
        """How many instances are available and in use."""
        available = len(self._available)
        in_use = len(self._in_use)
        return f"Pool available={available} in use={in_use}"
