"""Arguments by position and by name."""

import threading


def setup():
    return {}


def run(box):
    timer = threading.Timer(1, box.update, args=[{"a": 1}], kwargs={"b": 2})
    timer.start()
    timer.join()


threads = [run]


def check(box):
    assert box == {"a": 1, "b": 2}
