"""Two create what should exist once."""

OUTCOME = "wrong-result"


class Registry:
    def __init__(self):
        self.objects = {}
        self.made = []

    def get(self, key):
        if key not in self.objects:
            self.objects[key] = object()
            self.made.append(key)
        return self.objects[key]


setup = Registry
threads = [lambda registry: registry.get("a")] * 2


def check(registry):
    assert registry.made == ["a"]
