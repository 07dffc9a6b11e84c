"""An attribute of another thread is no attribute."""

import threading


def setup():
    local = threading.local()
    local.only_here = 1
    return local


def look(local):
    assert not hasattr(local, "only_here")
    assert vars(local) == {}


threads = [look, look]


def check(local):
    assert local.only_here == 1
