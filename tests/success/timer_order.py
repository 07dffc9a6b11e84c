"""The shorter time ends first."""

import threading


def setup():
    return []


def run(log):
    timers = [threading.Timer(2, log.append, ["late"]), threading.Timer(1, log.append, ["early"])]
    for timer in timers:
        timer.start()
    for timer in timers:
        timer.join()


threads = [run]


def check(log):
    assert log == ["early", "late"]
