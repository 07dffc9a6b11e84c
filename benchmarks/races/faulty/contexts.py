"""Contexts with an id each, which a generator at the top of the module hands out."""


def _numbers():
    number = 0
    while True:
        number += 1
        yield f"context-{number}"


_ids = _numbers()


class Context:
    def __init__(self, namespace: str = ""):
        self.id = next(_ids)
        self.namespace = namespace

    def key(self) -> str:
        return f"{self.namespace}/{self.id}"
