"""Type hints per function: an empty table is put into the cache and filled there."""

_SIGNATURES = {"area": (("width", int), ("height", int)), "name": (("of", str),)}
_hints = {}


def type_hints(function: str) -> dict:
    found = _hints.get(function)
    if found is None:
        found = _hints[function] = {}
        for name, kind in _SIGNATURES.get(function, ()):
            found[name] = kind
    return found


def check_arguments(function: str = "area") -> list:
    return [f"{name}: {kind.__name__}" for name, kind in type_hints(function).items()]
