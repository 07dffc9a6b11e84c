"""Warnings that can be caught for a while: each block puts back what it found, in the order in which they end."""

from contextlib import contextmanager

_filters = ["default"]


def simplefilter(action: str) -> None:
    _filters.insert(0, action)


def current() -> str:
    return _filters[0]


@contextmanager
def catch_warnings():
    global _filters
    saved = _filters
    _filters = saved[:]
    try:
        yield
    finally:
        _filters = saved


def quiet_import(name: str) -> str:
    with catch_warnings():
        simplefilter("ignore")
        return name


def filters() -> list:
    return list(_filters)
