"""A cache of compiled patterns: the shrinking one walks over what others add to."""

_MAXCACHE = 2
_cache = {}


def _shrink():
    for key in _cache.keys():
        if len(key) > 1:
            break
    if len(_cache) >= _MAXCACHE:
        for key in list(_cache)[:1]:
            del _cache[key]


def compile_pattern(pattern: str) -> tuple:
    try:
        return _cache[pattern]
    except KeyError:
        pass
    if len(_cache) >= _MAXCACHE:
        _shrink()
    made = _cache[pattern] = ("compiled", pattern)
    return made


def purge() -> None:
    _cache.clear()
