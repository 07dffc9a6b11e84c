"""A decorator class whose cache is added to only if the key is new: two callers add the same one."""


class cache:
    def __init__(self, ttl: int = 60):
        self.ttl = ttl
        self.kept = {}

    def get_from_cache(self, key):
        return self.kept.get(key)

    def add_to_cache(self, key, value):
        if key in self.kept:
            raise ValueError(f"{key} is in the cache already")
        self.kept[key] = value

    def __call__(self, func):
        def wrapped(*args):
            found = self.get_from_cache(args)
            if found is None:
                found = func(*args)
                self.add_to_cache(args, found)
            return found

        return wrapped
