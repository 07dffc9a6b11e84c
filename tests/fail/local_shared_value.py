"""The local is each thread's own, the list in it is not."""

import threading

OUTCOME = "wrong-result"


class Local(threading.local):
    def __init__(self, log):
        self.log = log


class Recorder:
    def __init__(self):
        self.log = []
        self.local = Local(self.log)

    def record(self):
        if len(self.local.log) < 1:
            self.local.log.append("line")


setup = Recorder
threads = [Recorder.record, Recorder.record]


def check(recorder):
    assert recorder.log == ["line"]
