"""Submodules that appear when somebody asks for them: `__getattr__` keeps what it has made, in two steps."""

_loading = {}
_available = {"fft": 3, "linalg": 5}


def _load(name):
    _loading[name] = {}
    _loading[name]["functions"] = _available[name]


def functions_of(name: str) -> int:
    if name not in _available:
        return 0
    if name not in _loading:
        _load(name)
    return _loading[name]["functions"]


def __getattr__(name):
    if name not in _available:
        raise AttributeError(name)
    return functions_of(name)
