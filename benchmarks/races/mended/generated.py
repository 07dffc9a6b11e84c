"""Values for documents in a database: a counter of the module, under a lock, gives each its number."""

import threading

_counters = {}
_lock = threading.Lock()


def increment(name: str, start: int = 1) -> int:
    with _lock:
        if name not in _counters:
            _counters[name] = start
            return start
        _counters[name] += 1
        return _counters[name]


def reset() -> None:
    with _lock:
        _counters.clear()
