"""Walking a copy."""


class Cache:
    def __init__(self):
        self.entries = {"a": 1}

    def total(self):
        result = 0
        for value in list(self.entries.values()):
            result += value
        return result

    def add(self):
        self.entries["b"] = 2


setup = Cache
threads = [Cache.total, Cache.add]
