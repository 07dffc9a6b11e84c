"""Lines of files, kept until they are found to be out of date: two threads drop the same entry."""

_files = {"a.py": (1, ["x = 1"]), "b.py": (2, ["y = 2", "z = 3"])}
cache = {}


def getlines(name: str) -> list:
    if name in cache:
        return cache[name][1]
    if name not in _files:
        return []
    entry = cache[name] = _files[name]
    return entry[1]


def touch(name: str) -> None:
    if name in _files:
        size, lines = _files[name]
        _files[name] = (size + 1, lines)


def checkcache() -> None:
    for name in list(cache):
        size, _ = cache[name]
        if _files[name][0] != size:
            del cache[name]
