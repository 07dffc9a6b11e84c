"""Plugins that are registered when the first request comes: the flag is set after the work."""

_registered = False
_plugins = []


def register_plugins(rescan: bool = False) -> int:
    global _registered
    if _registered and not rescan:
        return len(_plugins)
    if rescan:
        _plugins.clear()
    for name in ("export", "import"):
        _plugins.append(name)
    _registered = True
    return len(_plugins)


def plugins() -> list:
    register_plugins()
    return list(_plugins)
