"""A metaclass that keeps the only instance in an attribute of the class, under a lock."""

import threading


class SingleInstance(type):
    def __init__(cls, name, bases, members):
        cls._single = None
        cls._single_lock = threading.Lock()
        super().__init__(name, bases, members)

    def __call__(cls, *args, **kwargs):
        with cls._single_lock:
            if cls._single is None:
                cls._single = super().__call__(*args, **kwargs)
            return cls._single


class Connections(metaclass=SingleInstance):
    def __init__(self):
        self._addresses = {"default": "localhost:1"}

    def add(self, alias: str, address: str) -> None:
        self._addresses[alias] = address

    def address(self, alias: str = "default") -> str:
        return self._addresses.get(alias, "")
