"""A dictionary that grows while somebody walks it."""

OUTCOME = "exception"


class Cache:
    def __init__(self):
        self.entries = {"a": 1, "b": 2}

    def total(self):
        result = 0
        for value in self.entries.values():
            result += value
        return result

    def add(self):
        self.entries["c"] = 3


setup = Cache
threads = [Cache.total, Cache.add]
