"""A metaclass that notices when a singleton needs itself: one thread at a time makes one."""

import threading


class CircularDependencyError(Exception):
    """A singleton is asked for while it is made."""


class SingletonMeta(type):
    _instances = {}
    _making = set()
    _lock = threading.RLock()

    def __call__(cls, *args, **kwargs):
        with cls._lock:
            if cls not in cls._instances:
                if cls in cls._making:
                    raise CircularDependencyError(cls.__name__)
                cls._making.add(cls)
                try:
                    cls._instances[cls] = super().__call__(*args, **kwargs)
                finally:
                    cls._making.discard(cls)
            return cls._instances[cls]


class World(metaclass=SingletonMeta):
    def __init__(self):
        self.bodies = ["floor"]

    def count(self) -> int:
        return len(self.bodies)
