"""A generator that threads share, each asking it under a lock."""

import threading


def numbers():
    number = 0
    while True:
        number += 1
        yield number


def setup():
    return {"numbers": numbers(), "lock": threading.Lock(), "seen": []}


def use(box):
    with box["lock"]:
        box["seen"].append(next(box["numbers"]))


threads = [use, use]


def check(box):
    assert box["seen"] == [1, 2]
