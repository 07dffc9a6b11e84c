"""GenericObjectPool after change 3: only its own books are locked when it lends and takes back.

After Apache Commons Pool 1: the factory's calls take time without using the CPU, as opening a connection does.
"""

import threading
import time


class Factory:
    """Makes what the pool keeps."""

    def make(self):
        time.sleep(0.0002)
        return object()

    def validate(self, thing):
        time.sleep(0.0001)
        return thing is not None

    def destroy(self, thing):
        time.sleep(0.0001)


class GenericObjectPool:
    """Lends objects; when there are none left, it makes more."""

    def __init__(self, factory: Factory, min_idle: int = 1):
        self._lock = threading.RLock()
        self._factory = factory
        self._min_idle = min_idle
        self._idle = []
        self._active = 0
        self._test_on_borrow = False
        self._test_on_return = False
        self._ensure_min_idle()

    def borrow_object(self):
        with self._lock:
            thing = self._idle.pop() if self._idle else None
            self._active += 1
        if thing is None:
            thing = self._factory.make()
        if self._test_on_borrow:
            self._factory.validate(thing)
        return thing

    def return_object(self, thing: object):
        valid = self._factory.validate(thing) if self._test_on_return else True
        with self._lock:
            self._active -= 1
            if valid and len(self._idle) < 8:
                self._idle.append(thing)

    def invalidate_object(self, thing: object):
        self._factory.destroy(thing)
        with self._lock:
            self._active -= 1

    def add_object(self):
        thing = self._factory.make()
        with self._lock:
            if len(self._idle) < 8:
                self._idle.append(thing)

    def clear(self):
        with self._lock:
            for thing in self._idle:
                self._factory.destroy(thing)
            self._idle = []
            self._ensure_min_idle()

    def evict(self):
        with self._lock:
            self._idle = [thing for thing in self._idle if self._factory.validate(thing)]
            self._ensure_min_idle()

    def set_factory(self, factory: Factory):
        with self._lock:
            self._factory = factory
            self.clear()

    def _ensure_min_idle(self):
        with self._lock:
            for _ in range(self._min_idle - len(self._idle)):
                self._idle.append(self._factory.make())

    def get_test_on_borrow(self):
        with self._lock:
            return self._test_on_borrow

    def set_test_on_borrow(self, flag: bool):
        with self._lock:
            self._test_on_borrow = flag

    def get_test_on_return(self):
        with self._lock:
            return self._test_on_return

    def set_test_on_return(self, flag: bool):
        with self._lock:
            self._test_on_return = flag

    def get_num_idle(self):
        with self._lock:
            return len(self._idle)

    def get_num_active(self):
        with self._lock:
            return self._active
