"""Virtual time passes when nothing else can happen."""

import time


def setup():
    return []


def late(log):
    time.sleep(3600)
    log.append("late")


threads = [late, lambda log: log.append("early")]


def check(log):
    assert log == ["early", "late"]
