"""Wrappers of foreign objects, one per address: the table of instances is used under a lock."""

import threading
import weakref


class Wrapper:
    _cached = weakref.WeakValueDictionary()
    _lock = threading.Lock()

    def __new__(cls, address: int):
        with cls._lock:
            found = cls._cached.get(address)
            if found is not None:
                return found
            made = super().__new__(cls)
            made.address = address
            made.attributes = {}
            cls._cached[address] = made
            return made

    def set(self, name: str, value: int) -> None:
        self.attributes[name] = value

    def get(self, name: str) -> int:
        return self.attributes.get(name, 0)
