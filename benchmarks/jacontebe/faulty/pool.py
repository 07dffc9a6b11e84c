"""Shapes of faults of Pool 1.4 and 1.5: objects are lent, added, invalidated and handed over to those that wait."""

import threading


class TooManyObjects(Exception):
    """More objects were made than there may be."""


class ObjectPool:
    """POOL-120: an object is made for the minimum of idle ones, and counted when it is in the pool."""

    def __init__(self, most: int = 1) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._idle: list[int] = []
        self._made = 0

    def _make(self) -> int:
        with self._lock:
            if self._made >= self._most:
                raise TooManyObjects(self._made + 1)
            self._made += 1
            return self._made

    def add_object(self) -> bool:
        """Put one more idle object into the pool, if there is room for it."""
        with self._lock:
            if self._made >= self._most:
                return False
        made = self._make()
        with self._lock:
            self._idle.append(made)
            return True

    def borrow(self) -> int:
        """Take an idle object or make one; -1 if all are lent."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if self._made >= self._most:
                return -1
        return self._make()


class KeyedPool:
    """POOL-146: requests are served in order of arrival, so that one for an exhausted key keeps all others waiting."""

    def __init__(self, most: int = 1) -> None:
        self._condition = threading.Condition()
        self._most = most
        self._lent: dict[str, int] = {}
        self._queue: list[object] = []

    def borrow(self, key: str = "A") -> int:
        """Take an object for a key; wait while all of this key are lent."""
        with self._condition:
            request = object()
            self._queue.append(request)
            while self._queue[0] is not request or self._lent.get(key, 0) >= self._most:
                self._condition.wait()
            self._queue.remove(request)
            self._condition.notify_all()
            self._lent[key] = self._lent.get(key, 0) + 1
            return self._lent[key]

    def give_back(self, key: str = "A") -> bool:
        with self._condition:
            if not self._lent.get(key, 0):
                return False
            self._lent[key] -= 1
            self._condition.notify_all()
            return True


class Latch:
    """A request for an object."""

    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.granted = False


class AllocatingPool:
    """POOL-149: a request is granted and notified before its thread waits for that."""

    def __init__(self, most: int = 1) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._active = 0
        self._queue: list[Latch] = []

    def borrow(self) -> int:
        """Take an object; wait for one."""
        latch = Latch()
        with self._lock:
            self._queue.append(latch)
            self._allocate()
        if not latch.granted:
            with latch.condition:
                latch.condition.wait()
        return 1

    def invalidate(self) -> bool:
        """Drop an object that is lent."""
        with self._lock:
            if not self._active:
                return False
            self._active -= 1
            self._allocate()
            return True

    def _allocate(self) -> None:
        while self._queue and self._active < self._most:
            latch = self._queue.pop(0)
            self._active += 1
            with latch.condition:
                latch.granted = True
                latch.condition.notify()


class ImpatientPool:
    """POOL-162: a request that gave up stays in the queue, and the next object is handed over to it."""

    def __init__(self, most: int = 1) -> None:
        self._condition = threading.Condition()
        self._free = most
        self._queue: list[Latch] = []

    def borrow(self, timeout: float | None = None) -> bool:
        """Take an object; False if none came in time."""
        latch = Latch()
        with self._condition:
            self._queue.append(latch)
            self._hand_over()
            while not latch.granted:
                if not self._condition.wait(timeout):
                    if not latch.granted:
                        return False
            return True

    def give_back(self) -> None:
        with self._condition:
            self._free += 1
            self._hand_over()
            self._condition.notify_all()

    def _hand_over(self) -> None:
        while self._queue and self._free:
            self._free -= 1
            self._queue.pop(0).granted = True
