"""A property that is computed once, under a lock, and kept in the object."""

import threading


class cached_property:
    def __init__(self, func):
        self.func = func
        self.name = func.__name__
        self.lock = threading.RLock()

    def __get__(self, obj, cls):
        if obj is None:
            return self
        with self.lock:
            if self.name not in obj.__dict__:
                obj.__dict__[self.name] = self.func(obj)
            return obj.__dict__[self.name]
