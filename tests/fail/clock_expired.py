"""An entry expires between the look at the clock and its use."""

import time

OUTCOME = "exception"


class Cache:
    def __init__(self):
        self.entries = {"a": (1, time.monotonic() + 5)}

    def get(self):
        if "a" in self.entries:
            return self.entries["a"][0]
        return None

    def purge(self):
        time.sleep(10)
        for key, (_value, expires) in list(self.entries.items()):
            if expires < time.monotonic():
                del self.entries[key]

    def slow_get(self):
        time.sleep(10)
        self.get()


setup = Cache
threads = [Cache.slow_get, Cache.purge]
