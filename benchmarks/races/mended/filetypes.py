"""A table of file types that is read on first use, under a lock, and published when it is complete."""

import threading

_DEFAULTS = ((".html", "text/html"), (".png", "image/png"), (".txt", "text/plain"))
_known = None
_lock = threading.Lock()


def init():
    global _known
    with _lock:
        if _known is None:
            _known = dict(_DEFAULTS)


def guess_type(name: str):
    if _known is None:
        init()
    dot = name.rfind(".")
    return _known.get(name[dot:], "application/octet-stream") if dot >= 0 else _known.get(".txt")
