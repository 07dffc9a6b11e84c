"""Contexts with an id each, counted under a lock."""

import threading

_lock = threading.Lock()
_count = 0


def _next_id() -> str:
    global _count
    with _lock:
        _count += 1
        return f"context-{_count}"


class Context:
    def __init__(self, namespace: str = ""):
        self.id = _next_id()
        self.namespace = namespace

    def key(self) -> str:
        return f"{self.namespace}/{self.id}"
