"""Pool3: a pool with objects per key (Commons Pool, POOL-146).

Borrowers queue up in one line for all keys. Whoever changes something serves the line, and passes over borrowers
whose key is at its limit.
"""

import threading


class Latch:
    """A borrower's place in the line."""

    def __init__(self, key: str) -> None:
        self.changed = threading.Condition()
        self.key = key
        self.assigned: int | None = None
        self.may_create = False

    def served(self) -> bool:
        """Whether the borrower can go on."""
        return self.assigned is not None or self.may_create

    def serve(self, assigned: int | None) -> None:
        """Give an object, or else the permission to make one."""
        with self.changed:
            self.assigned = assigned
            self.may_create = assigned is None
            self.changed.notify()

    def wait(self) -> None:
        """Wait until served."""
        with self.changed:
            while not self.served():
                self.changed.wait()


class GenericKeyedObjectPool:
    """Lends at most `max_active` objects per key."""

    def __init__(self, max_active: int) -> None:
        self.lock = threading.RLock()
        self.max_active = max_active
        self.made = 0
        self.idle: dict[str, list[int]] = {}
        self.active: dict[str, int] = {}
        self.allocation_queue: list[Latch] = []

    def borrow_object(self, key: str) -> int:
        """An object of that key, as soon as there is one."""
        latch = Latch(key)
        with self.lock:
            self.allocation_queue.append(latch)
            self.allocate()
        latch.wait()
        return self.make_object() if latch.may_create else latch.assigned

    def return_object(self, key: str, borrowed: int) -> None:
        """Hand an object back."""
        with self.lock:
            self.idle.setdefault(key, []).append(borrowed)
            self.active[key] = self.active[key] - 1
            self.allocate()

    def make_object(self) -> int:
        """A new object: its number."""
        with self.lock:
            self.made = self.made + 1
            return self.made

    def allocate(self) -> None:
        """Serve every borrower in the line whose key allows it."""
        waiting = []
        for latch in self.allocation_queue:
            if not self.allocate_to(latch):
                waiting.append(latch)
        self.allocation_queue = waiting

    def allocate_to(self, latch: Latch) -> bool:
        """Serve one borrower, if its key allows it."""
        active = self.active.get(latch.key, 0)
        idle = self.idle.get(latch.key, [])
        if len(idle) == 0 and active >= self.max_active:
            return False
        self.active[latch.key] = active + 1
        latch.serve(idle.pop(0) if len(idle) > 0 else None)
        return True
