"""Named key codes: the list of names is made of a copy that is taken under a lock."""

import threading

_codes = {"KEY_UP": 259, "KEY_DOWN": 258}
_lock = threading.Lock()


def define(name: str, code: int) -> None:
    with _lock:
        _codes[f"KEY_{name.upper()}"] = code


def names() -> dict:
    with _lock:
        return {code: name for name, code in _codes.items() if name.startswith("KEY_")}


def lookup(code: int) -> str:
    return names().get(code, "unknown")
