"""An LRU cache on an OrderedDict without a lock."""

from collections import OrderedDict

OUTCOME = "exception"


class Lru:
    def __init__(self):
        self.entries = OrderedDict(a=1)

    def get(self, key):
        if key in self.entries:
            self.entries.move_to_end(key)
            return self.entries[key]
        return None

    def put(self, key, value):
        self.entries[key] = value
        if len(self.entries) > 1:
            self.entries.popitem(last=False)


setup = Lru
threads = [lambda cache: cache.get("a"), lambda cache: cache.put("b", 2)]
