"""Deleting an attribute deletes this thread's own."""

import threading


def setup():
    local = threading.local()
    local.x = 0
    return local


def use(local):
    local.x = 1
    del local.x
    assert not hasattr(local, "x")


threads = [use, use]


def check(local):
    assert local.x == 0
