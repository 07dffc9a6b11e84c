"""Wrappers of foreign objects, one per address: a table of instances that is asked and then filled."""

import weakref


class Wrapper:
    _cached = weakref.WeakValueDictionary()

    def __new__(cls, address: int):
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
