"""Pool4: a pool whose borrowers wait on a latch each (Commons Pool).

The fault that the paper used was never reported and is not known. This is the nearest one of that kind and time,
POOL-147. A borrower looks once more, under the latch's lock, whether it has been served before it waits.

Around the fault, as in release 1.5.1: every change works off the line of borrowers under the pool's lock, and wakes
each under its latch's; objects on their way count as being processed; they are made, activated and passivated outside
the lock. Left out: limits of waiting, validation, the evictor, which the test does not use.
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

    def make_object(self) -> int:
        """A new object: its number."""
        with self.lock:
            self.active_count = self.active_count + 1
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

    def destroy_object(self, _old: int) -> None:
        """Called on every object that the pool gives up."""
        with self.lock:
            self.active_count = self.active_count - 1


class Pair:
    """An idle object, as the pool keeps it."""

    def __init__(self, value: int) -> None:
        self.value = value


class Latch:
    """A borrower's place in the line."""

    def __init__(self) -> None:
        self.monitor = threading.Condition()
        self.pair: Pair | None = None
        self.may_create = False


class GenericObjectPool:
    """Lends objects of a factory, at most `max_active`, to borrowers in the order in which they came."""

    def __init__(self, factory: Factory) -> None:
        self.monitor = threading.Condition()
        self.factory = factory
        self.closed = False
        self.when_exhausted_action = BLOCK
        self.max_active = 8
        self.max_idle = 8
        self.num_active = 0
        self.num_internal_processing = 0
        self.pool: list[Pair] = []
        self.allocation_queue: list[Latch] = []

    def assert_open(self) -> None:
        """Fail if the pool was closed."""
        if self.closed:
            raise RuntimeError("the pool is closed")

    def set_max_active(self, most: int) -> None:
        """Change how many objects may be lent."""
        with self.monitor:
            self.max_active = most
            self.allocate()

    def get_num_active(self) -> int:
        """How many objects are lent."""
        with self.monitor:
            return self.num_active

    def get_num_idle(self) -> int:
        """How many objects are ready."""
        with self.monitor:
            return len(self.pool)

    def borrow_object(self) -> int:
        """An object, as soon as there is one, or as soon as one may be made; that happens outside the lock."""
        latch = Latch()
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
                            raise ExhaustedError("every object is lent")
                elif action == GROW:
                    with self.monitor:
                        if latch.pair is None and not latch.may_create:
                            self.allocation_queue.remove(latch)
                            self.num_internal_processing = self.num_internal_processing + 1
                else:
                    with latch.monitor:
                        if latch.pair is None and not latch.may_create:
                            latch.monitor.wait()
                    continue
            if latch.pair is None:
                try:
                    latch.pair = Pair(self.factory.make_object())
                except Exception:
                    with self.monitor:
                        self.num_internal_processing = self.num_internal_processing - 1
                        self.allocate()
                    raise
            self.factory.activate_object(latch.pair.value)
            with self.monitor:
                self.num_internal_processing = self.num_internal_processing - 1
                self.num_active = self.num_active + 1
            return latch.pair.value

    def allocate(self) -> None:
        """Give idle objects to the line, then leave to create some, and wake whom this concerns."""
        with self.monitor:
            if self.closed:
                return
            while len(self.pool) > 0 and len(self.allocation_queue) > 0:
                latch = self.allocation_queue.pop(0)
                latch.pair = self.pool.pop(0)
                self.num_internal_processing = self.num_internal_processing + 1
                with latch.monitor:
                    latch.monitor.notify()
            while len(self.allocation_queue) > 0 and self.num_active + self.num_internal_processing < self.max_active:
                latch = self.allocation_queue.pop(0)
                latch.may_create = True
                self.num_internal_processing = self.num_internal_processing + 1
                with latch.monitor:
                    latch.monitor.notify()

    def return_object(self, borrowed: int) -> None:
        """Hand an object back."""
        self.factory.passivate_object(borrowed)
        with self.monitor:
            is_kept = not self.closed and len(self.pool) < self.max_idle
            if is_kept:
                self.pool.insert(0, Pair(borrowed))
                self.num_active = self.num_active - 1
                self.allocate()
        if not is_kept:
            self.factory.destroy_object(borrowed)
            with self.monitor:
                self.num_active = self.num_active - 1
                self.allocate()
