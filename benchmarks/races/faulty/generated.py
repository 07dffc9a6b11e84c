"""Values for documents in a database: a counter of the module gives each its number."""

_counters = {}


def increment(name: str, start: int = 1) -> int:
    if name not in _counters:
        _counters[name] = start
        return start
    _counters[name] += 1
    return _counters[name]


def reset() -> None:
    _counters.clear()
