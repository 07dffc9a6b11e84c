"""Pool2: a pool that keeps a minimum of idle objects (Commons Pool, POOL-120).

The evictor makes and stores an object under the lock. The test whether an object is missing belongs to `add_object`
in both versions, since otherwise the correct one would have the fault of POOL-107.
"""

import threading


class TooManyInstancesError(Exception):
    """More objects exist than the pool may have: the fault."""


class ExhaustedError(Exception):
    """The pool has no object to give and may not create one: legal."""


class Factory:
    """Makes objects, and fails when there are too many of them."""

    def __init__(self, most: int) -> None:
        self.lock = threading.Lock()
        self.most = most
        self.made = 0

    def make_object(self) -> int:
        """A new object: its number."""
        with self.lock:
            self.made = self.made + 1
            if self.made > self.most:
                raise TooManyInstancesError(f"{self.made} instances, {self.most} are allowed")
            return self.made


class GenericObjectPool:
    """Lends objects of a factory; at most `max_active` exist, and `min_idle` should be ready."""

    def __init__(self, factory: Factory, max_active: int, min_idle: int) -> None:
        self.lock = threading.RLock()
        self.factory = factory
        self.max_active = max_active
        self.min_idle = min_idle
        self.num_active = 0
        self.idle: list[int] = []

    def borrow_object(self) -> int:
        """An idle object, or a new one, which is made outside the lock."""
        with self.lock:
            if len(self.idle) > 0:
                self.num_active = self.num_active + 1
                return self.idle.pop(0)
            if self.num_active >= self.max_active:
                raise ExhaustedError("every object is lent")
            self.num_active = self.num_active + 1
        return self.factory.make_object()

    def return_object(self, borrowed: int) -> None:
        """Hand an object back."""
        with self.lock:
            self.num_active = self.num_active - 1
            self.idle.append(borrowed)

    def calculate_deficit(self) -> int:
        """How many idle objects are missing and may be created."""
        with self.lock:
            missing = self.min_idle - len(self.idle)
            places = self.max_active - self.num_active - len(self.idle)
            return min(missing, places)

    def add_object(self) -> None:
        """Create an idle object, if one is missing."""
        with self.lock:
            if self.calculate_deficit() <= 0:
                return
            made = self.factory.make_object()
            self.idle.append(made)

    def ensure_min_idle(self) -> None:
        """What the evictor does: create the idle objects that are missing."""
        deficit = self.calculate_deficit()
        for _ in range(deficit):
            self.add_object()
