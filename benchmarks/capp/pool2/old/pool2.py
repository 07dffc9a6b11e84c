"""Pool2: a pool that keeps a minimum of idle objects (Commons Pool, POOL-120).

Objects are made, lent, stored and handed back under the lock, as in release 1.3. Were it the evictor alone that does
so, the correct version would have the fault of POOL-107.

Around the fault, as in the original: getters and setters that take the lock, a deficit that is computed through them,
borrowers that wait while the pool is exhausted, objects that are activated and passivated, an evictor that visits idle
objects before it creates any. Left out: the age of idle objects, limits of waiting, activations that fail.
"""

import threading
from typing import Any

FAIL, BLOCK, GROW = range(3)
UNLIMITED = 1_000_000


class TooManyInstancesError(Exception):
    """More objects exist than the pool may have: the fault."""


class ExhaustedError(Exception):
    """The pool has no object to give, may not create one and was told not to wait."""


class Factory:
    """The developers' test factory: makes numbered objects, and fails when there are too many of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.max_active = UNLIMITED
        self.active_count = 0
        self.make_counter = 0
        self.exception_on_activate = False
        self.exception_on_passivate = False

    def make_object(self) -> int:
        """A new object: its number."""
        with self.lock:
            self.active_count = self.active_count + 1
            if self.active_count > self.max_active:
                raise TooManyInstancesError(f"{self.active_count} instances, {self.max_active} are allowed")
        made = self.make_counter
        self.make_counter = made + 1
        return made

    def activate_object(self, _lent: int) -> None:
        """Called on every object that is about to be lent."""
        if self.exception_on_activate:
            raise RuntimeError("the object cannot be activated")

    def passivate_object(self, _idle: int) -> None:
        """Called on every object that is about to be idle."""
        if self.exception_on_passivate:
            raise RuntimeError("the object cannot be passivated")

    def validate_object(self, _checked: int) -> bool:
        """Whether an object can still be used."""
        return True

    def destroy_object(self, _old: int) -> None:
        """Called on every object that the pool gives up."""
        with self.lock:
            self.active_count = self.active_count - 1


class Pair:
    """An idle object, as the pool keeps it."""

    def __init__(self, value: int) -> None:
        self.value = value


class GenericObjectPool:
    """Lends objects of a factory; at most `max_active` exist, and `min_idle` should be ready."""

    def __init__(self, factory: Factory) -> None:
        self.monitor = threading.Condition()
        self.factory: Any = factory
        self.closed = False
        self.when_exhausted_action = BLOCK
        self.max_active = 8
        self.max_idle = 8
        self.min_idle = 0
        self.num_tests_per_eviction_run = 3
        self.test_on_borrow = False
        self.test_on_return = False
        self.test_while_idle = False
        self.num_active = 0
        self.pool: list[Pair] = []

    def assert_open(self) -> None:
        """Fail if the pool was closed."""
        if self.closed:
            raise RuntimeError("the pool is closed")

    def get_max_active(self) -> int:
        """How many objects may exist."""
        with self.monitor:
            return self.max_active

    def set_max_active(self, most: int) -> None:
        """Change how many objects may exist."""
        with self.monitor:
            self.max_active = most
            self.monitor.notify_all()

    def get_min_idle(self) -> int:
        """How many objects should be ready."""
        with self.monitor:
            return self.min_idle

    def set_min_idle(self, fewest: int) -> None:
        """Change how many objects should be ready."""
        with self.monitor:
            self.min_idle = fewest
            self.monitor.notify_all()

    def get_num_active(self) -> int:
        """How many objects are lent."""
        with self.monitor:
            self.assert_open()
            return self.num_active

    def get_num_idle(self) -> int:
        """How many objects are ready."""
        with self.monitor:
            self.assert_open()
            return len(self.pool)

    def borrow_object(self) -> int:
        """An idle object, or a new one, which is made under the lock."""
        with self.monitor:
            while True:
                pair = None
                self.assert_open()
                if len(self.pool) > 0:
                    pair = self.pool.pop(0)
                elif self.max_active > 0 and self.num_active >= self.max_active:
                    if self.when_exhausted_action == FAIL:
                        raise ExhaustedError("every object is lent")
                    if self.when_exhausted_action == BLOCK:
                        self.monitor.wait()
                        continue
                self.num_active = self.num_active + 1
                if pair is None:
                    try:
                        pair = Pair(self.factory.make_object())
                    except Exception:
                        self.num_active = self.num_active - 1
                        self.monitor.notify_all()
                        raise
                self.factory.activate_object(pair.value)
                if self.test_on_borrow and not self.factory.validate_object(pair.value):
                    raise RuntimeError("the object is not valid")
                return pair.value

    def return_object(self, borrowed: int) -> None:
        """Hand an object back."""
        with self.monitor:
            self.assert_open()
            self.add_object_to_pool(borrowed, decrement_num_active=True)

    def add_object_to_pool(self, value: int, decrement_num_active: bool) -> None:
        """Make an object idle; there may be too many of these already."""
        if self.test_on_return and not self.factory.validate_object(value):
            is_useful = False
        else:
            self.factory.passivate_object(value)
            is_useful = True
        with self.monitor:
            if decrement_num_active:
                self.num_active = self.num_active - 1
            if self.max_idle >= 0 and len(self.pool) >= self.max_idle:
                is_useful = False
            if is_useful:
                self.pool.insert(0, Pair(value))
            self.monitor.notify_all()
        if not is_useful:
            self.factory.destroy_object(value)

    def evict(self) -> None:
        """Look at some idle objects, the oldest first, and give up those that are of no use any more."""
        with self.monitor:
            self.assert_open()
            tests = min(self.num_tests_per_eviction_run, len(self.pool))
            for pair in self.pool[::-1][:tests]:
                if self.test_while_idle and not self.factory.validate_object(pair.value):
                    self.pool.remove(pair)
                    self.factory.destroy_object(pair.value)

    def ensure_min_idle(self) -> None:
        """What the evictor does then: create the idle objects that are missing."""
        deficit = self.calculate_deficit()
        for _ in range(deficit):
            if self.calculate_deficit() <= 0:
                break
            self.add_object()

    def calculate_deficit(self) -> int:
        """How many idle objects are missing and may be created."""
        with self.monitor:
            deficit = self.get_min_idle() - self.get_num_idle()
            if self.max_active > 0:
                places = self.get_max_active() - self.get_num_active() - self.get_num_idle()
                deficit = min(deficit, max(0, places))
            return deficit

    def add_object(self) -> None:
        """Create an idle object."""
        with self.monitor:
            made = self.factory.make_object()
            self.add_object_to_pool(made, decrement_num_active=False)

    def close(self) -> None:
        """Give up all idle objects; the pool cannot be used any more."""
        with self.monitor:
            for pair in self.pool:
                self.factory.destroy_object(pair.value)
            self.pool = []
            self.factory = None
            self.closed = True
            self.monitor.notify_all()
