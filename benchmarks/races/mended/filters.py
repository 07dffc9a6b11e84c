"""Warnings that can be caught for a while: filters of a block belong to the context that opened it."""

import threading
from contextlib import contextmanager

_base = ["default"]
_own = threading.local()
_lock = threading.Lock()


def _current() -> list:
    return getattr(_own, "filters", None) or _base


def simplefilter(action: str) -> None:
    with _lock:
        _current().insert(0, action)


def current() -> str:
    with _lock:
        return _current()[0]


@contextmanager
def catch_warnings():
    saved = getattr(_own, "filters", None)
    with _lock:
        _own.filters = _current()[:]
    try:
        yield
    finally:
        _own.filters = saved


def quiet_import(name: str) -> str:
    with catch_warnings():
        simplefilter("ignore")
        return name


def filters() -> list:
    with _lock:
        return list(_current())
