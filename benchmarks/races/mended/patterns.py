"""A cache of compiled patterns, shrunk and filled under one lock."""

import threading

_MAXCACHE = 2
_cache = {}
_lock = threading.Lock()


def _shrink():
    for key in list(_cache)[:1]:
        del _cache[key]


def compile_pattern(pattern: str) -> tuple:
    with _lock:
        if pattern in _cache:
            return _cache[pattern]
        if len(_cache) >= _MAXCACHE:
            _shrink()
        made = _cache[pattern] = ("compiled", pattern)
        return made


def purge() -> None:
    with _lock:
        _cache.clear()
