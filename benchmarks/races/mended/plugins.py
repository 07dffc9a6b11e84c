"""Plugins that are registered when the first request comes, under a lock."""

import threading

_registered = False
_plugins = []
_lock = threading.RLock()


def register_plugins(rescan: bool = False) -> int:
    global _registered
    with _lock:
        if _registered and not rescan:
            return len(_plugins)
        if rescan:
            _plugins.clear()
        for name in ("export", "import"):
            _plugins.append(name)
        _registered = True
        return len(_plugins)


def plugins() -> list:
    with _lock:
        register_plugins()
        return list(_plugins)
