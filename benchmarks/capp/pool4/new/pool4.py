"""Pool4: a pool whose borrowers wait on a latch each (Commons Pool).

The fault that the paper used was never reported and is not known. This is the nearest one of that kind and time,
POOL-147. A borrower looks whether it has been served, and waits if not, without holding the latch's lock in between:
if it is served there, nobody wakes it.
"""

import threading


class Latch:
    """A borrower's place in the line."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.assigned: int | None = None

    def serve(self, assigned: int) -> None:
        """Give an object."""
        with self.changed:
            self.assigned = assigned
            self.changed.notify()

    def wait(self) -> None:
        """Wait until served."""
        if self.assigned is None:
            with self.changed:
                self.changed.wait()


class GenericObjectPool:
    """Lends a fixed number of objects."""

    def __init__(self, size: int) -> None:
        self.lock = threading.RLock()
        self.idle = list(range(size))
        self.num_active = 0
        self.allocation_queue: list[Latch] = []

    def borrow_object(self) -> int | None:
        """An object, as soon as there is one."""
        latch = Latch()
        with self.lock:
            self.allocation_queue.append(latch)
            self.allocate()
        latch.wait()
        return latch.assigned

    def return_object(self, borrowed: int) -> None:
        """Hand an object back."""
        with self.lock:
            self.idle.append(borrowed)
            self.num_active = self.num_active - 1
            self.allocate()

    def allocate(self) -> None:
        """Serve the line as far as there are objects."""
        while len(self.allocation_queue) > 0 and len(self.idle) > 0:
            latch = self.allocation_queue.pop(0)
            self.num_active = self.num_active + 1
            latch.serve(self.idle.pop(0))
