"""Submodules that appear when somebody asks for them: each is complete when it can be seen."""

import threading

_loaded = {}
_available = {"fft": 3, "linalg": 5}
_lock = threading.Lock()


def functions_of(name: str) -> int:
    if name not in _available:
        return 0
    with _lock:
        if name not in _loaded:
            _loaded[name] = {"functions": _available[name]}
        return _loaded[name]["functions"]


def __getattr__(name):
    if name not in _available:
        raise AttributeError(name)
    return functions_of(name)
