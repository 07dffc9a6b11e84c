"""Pool3: a pool with objects per key (Commons Pool, POOL-146).

Borrowers queue up in one line for all keys. Whoever changes something serves the line, and passes over borrowers
whose key is at its limit.

Around the fault, as in release 1.5.1: counts per key and of all keys, which take the lock where they are changed;
objects on their way count as being processed; borrowers look under their latch's lock before they wait; objects are
made, activated and passivated outside the lock. Left out: clearing old objects at the limit of all keys, the evictor.
"""

import threading

FAIL, BLOCK, GROW = range(3)


class ExhaustedError(Exception):
    """The pool has no object to give, may not create one and was told not to wait."""


class Factory:
    """Makes numbered objects, and counts those that exist."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.active_count = 0
        self.make_counter = 0
        self.exception_on_activate = False
        self.exception_on_passivate = False

    def make_object(self, _key: str) -> int:
        """A new object: its number."""
        with self.lock:
            self.active_count = self.active_count + 1
        made = self.make_counter
        self.make_counter = made + 1
        return made

    def activate_object(self, _key: str, _lent: int) -> None:
        """Called on every object that is about to be lent."""
        if self.exception_on_activate:
            raise RuntimeError("the object cannot be activated")

    def passivate_object(self, _key: str, _idle: int) -> None:
        """Called on every object that is about to be idle."""
        if self.exception_on_passivate:
            raise RuntimeError("the object cannot be passivated")

    def destroy_object(self, _key: str, _old: int) -> None:
        """Called on every object that the pool gives up."""
        with self.lock:
            self.active_count = self.active_count - 1


class Pair:
    """An idle object, as the pool keeps it."""

    def __init__(self, value: int) -> None:
        self.value = value


class ObjectQueue:
    """What the pool knows about one key; it counts for all keys as well, under the pool's lock."""

    def __init__(self, keyed_pool: "GenericKeyedObjectPool") -> None:
        self.keyed_pool = keyed_pool
        self.active_count = 0
        self.internal_processing_count = 0
        self.queue: list[Pair] = []

    def count_active(self, change: int) -> None:
        """Objects that are lent."""
        with self.keyed_pool.monitor:
            self.keyed_pool.total_active = self.keyed_pool.total_active + change
        self.active_count = self.active_count + change

    def count_processing(self, change: int) -> None:
        """Objects that are on their way."""
        with self.keyed_pool.monitor:
            self.keyed_pool.total_internal_processing = self.keyed_pool.total_internal_processing + change
        self.internal_processing_count = self.internal_processing_count + change


class Latch:
    """A borrower's place in the line."""

    def __init__(self, key: str) -> None:
        self.monitor = threading.Condition()
        self.key = key
        self.pool: ObjectQueue | None = None
        self.pair: Pair | None = None
        self.may_create = False


class GenericKeyedObjectPool:
    """Lends at most `max_active` objects per key, and `max_total` of all keys together (no limit if negative)."""

    def __init__(self, factory: Factory) -> None:
        self.monitor = threading.Condition()
        self.factory = factory
        self.closed = False
        self.when_exhausted_action = BLOCK
        self.max_active = 8
        self.max_total = -1
        self.max_idle = 8
        self.total_active = 0
        self.total_idle = 0
        self.total_internal_processing = 0
        self.pool_map: dict[str, ObjectQueue] = {}
        self.allocation_queue: list[Latch] = []

    def assert_open(self) -> None:
        """Fail if the pool was closed."""
        if self.closed:
            raise RuntimeError("the pool is closed")

    def set_max_active(self, most: int) -> None:
        """Change how many objects of a key may be lent."""
        with self.monitor:
            self.max_active = most
            self.allocate()

    def get_num_active(self, key: str) -> int:
        """How many objects of the key are lent."""
        with self.monitor:
            pool = self.pool_map.get(key)
            return 0 if pool is None else pool.active_count

    def borrow_object(self, key: str) -> int:
        """An object of that key, as soon as there is one, or as soon as one may be made."""
        latch = Latch(key)
        with self.monitor:
            action = self.when_exhausted_action
            self.allocation_queue.append(latch)
            self.allocate()
        while True:
            with self.monitor:
                self.assert_open()
            if latch.pair is None and not latch.may_create:
                if action == FAIL:
                    with self.monitor:
                        if latch.pair is None and not latch.may_create:
                            self.allocation_queue.remove(latch)
                            raise ExhaustedError(f"every object of {key} is lent")
                else:
                    with latch.monitor:
                        if latch.pair is None and not latch.may_create:
                            latch.monitor.wait()
                    continue
            if latch.pair is None:
                try:
                    latch.pair = Pair(self.factory.make_object(key))
                except Exception:
                    with self.monitor:
                        latch.pool.count_processing(-1)
                        self.allocate()
                    raise
            self.factory.activate_object(key, latch.pair.value)
            with self.monitor:
                latch.pool.count_processing(-1)
                latch.pool.count_active(1)
            return latch.pair.value

    def allocate(self) -> None:
        """Serve every borrower in the line whose key allows it."""
        with self.monitor:
            if self.closed:
                return
            for latch in list(self.allocation_queue):
                pool = self.pool_map.get(latch.key)
                if pool is None:
                    pool = ObjectQueue(self)
                    self.pool_map[latch.key] = pool
                latch.pool = pool
                if len(pool.queue) > 0:
                    self.allocation_queue.remove(latch)
                    latch.pair = pool.queue.pop(0)
                    pool.count_processing(1)
                    self.total_idle = self.total_idle - 1
                    with latch.monitor:
                        latch.monitor.notify()
                    continue
                total = self.total_active + self.total_idle + self.total_internal_processing
                is_below = self.max_active < 0 or pool.active_count + pool.internal_processing_count < self.max_active
                if is_below and (self.max_total < 0 or total < self.max_total):
                    self.allocation_queue.remove(latch)
                    latch.may_create = True
                    pool.count_processing(1)
                    with latch.monitor:
                        latch.monitor.notify()
                    continue
                if self.max_active < 0:
                    break

    def return_object(self, key: str, borrowed: int) -> None:
        """Hand an object back."""
        self.factory.passivate_object(key, borrowed)
        with self.monitor:
            pool = self.pool_map[key]
            is_kept = not self.closed and len(pool.queue) < self.max_idle
            if is_kept:
                pool.queue.insert(0, Pair(borrowed))
                self.total_idle = self.total_idle + 1
                pool.count_active(-1)
                self.allocate()
        if not is_kept:
            self.factory.destroy_object(key, borrowed)
            with self.monitor:
                pool.count_active(-1)
                self.allocate()
