"""Each thread counts for itself."""

import threading


def setup():
    return threading.local()


def count(local):
    local.n = 0
    for _ in range(3):
        local.n += 1
    assert local.n == 3


threads = [count, count]
