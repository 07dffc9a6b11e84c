"""Sleeping is no way to wait for somebody, once time-outs may strike at any moment."""

import time

OUTCOME = "exception"
OPTIONS = {"timeouts": "any"}


class Result:
    def __init__(self):
        self.value = None

    def produce(self):
        self.value = 42

    def consume(self):
        time.sleep(10)
        assert self.value == 42


setup = Result
threads = [Result.consume, Result.produce]
