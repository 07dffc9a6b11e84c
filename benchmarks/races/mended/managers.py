"""A metaclass that keeps one instance per class, under a lock."""

import threading


class Singleton(type):
    _instances = {}
    _lock = threading.Lock()

    def __call__(cls, *args, **kwargs):
        with cls._lock:
            if cls not in cls._instances:
                cls._instances[cls] = super().__call__(*args, **kwargs)
            return cls._instances[cls]


class Manager(metaclass=Singleton):
    def __init__(self):
        self.units = {}

    def set_unit(self, name: str, factor: int) -> None:
        self.units[name] = factor

    def unit(self, name: str) -> int:
        return self.units.get(name, 1)
