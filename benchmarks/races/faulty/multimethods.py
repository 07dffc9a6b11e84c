"""A table of signatures that finds an implementation on a miss, and keeps it in the table it walks over."""


class multimethod(dict):
    def __init__(self, func):
        super().__init__()
        self.default = func
        self[(object,)] = func

    def register(self, kind: type, func=str) -> None:
        self[(kind,)] = func

    def __missing__(self, types):
        parents = {key for key in self if all(map(issubclass, types, key))}
        found = self[min(parents, key=str)] if parents else self.default
        self[types] = found
        return found

    def __call__(self, value):
        return self[(type(value),)](value)
