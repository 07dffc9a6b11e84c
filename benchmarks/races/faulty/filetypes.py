"""A table of file types that is read on first use; the flag that says so is set before the table is filled."""

_DEFAULTS = ((".html", "text/html"), (".png", "image/png"), (".txt", "text/plain"))
_known = {}
_ready = False


def init():
    global _ready
    _ready = True
    for suffix, kind in _DEFAULTS:
        _known[suffix] = kind


def guess_type(name: str):
    if not _ready:
        init()
    dot = name.rfind(".")
    return _known.get(name[dot:], "application/octet-stream") if dot >= 0 else _known.get(".txt")
