"""ExpandoLite before change 8: no lock round a change.

A class whose methods and properties can be added at run time, after Groovy's ExpandoMetaClass.
"""

import threading
from collections.abc import Callable

BUILT_IN = tuple((f"method{number}", len) for number in range(12))


def _order(entry):
    name, _ = entry
    return len(name), name.lower(), name.upper(), name.title(), name.swapcase(), name


class ConcurrentMap(dict):
    """The project's own map: in CPython a dictionary's single operations are atomic already."""


class ExpandoLite:
    """Knows its methods and properties, and may be changed while it is used."""

    def __init__(self):
        self._lock = threading.RLock()
        self._initialized = False
        self._modified = False
        self._methods = ConcurrentMap()
        self._properties = ConcurrentMap()
        self._beans = ConcurrentMap()
        self._index = list(BUILT_IN)

    def initialize(self):
        with self._lock:
            if not self._initialized:
                self._reindex()
                self._initialized = True

    def is_initialized(self):
        return self._initialized

    def set_initialized(self, flag: bool):
        self._initialized = flag

    def is_modified(self):
        return self._modified

    def change(self, callback: Callable):
        self._initialized = False
        try:
            callback()
            self._modified = True
            self._reindex()
        finally:
            self._initialized = True

    def register_method(self, name: str, function: Callable):
        self._methods[name] = function
        self._modified = True

    def register_property(self, name: str, value: int):
        self._properties[name] = value
        self._modified = True

    def get_methods(self):
        if not self._initialized:
            self.initialize()
        return [name for name, _ in self._index] + list(self._methods)

    def get_properties(self):
        if not self._initialized:
            self.initialize()
        return list(self._properties)

    def get_property(self, name: str):
        if not self._initialized:
            self.initialize()
        found = self._beans.get(name)
        if found is None:
            found = self._beans[name] = self._properties.get(name, 0)
        return found

    def find_method(self, name: str):
        if not self._initialized:
            self.initialize()
        function = self._methods.get(name)
        if function is not None:
            return function
        for known, built_in in self._index:
            if known == name:
                return built_in
        return None

    def _reindex(self):
        kept = [entry for entry in BUILT_IN if entry[0] not in self._methods]
        self._index = sorted(kept, key=_order)
