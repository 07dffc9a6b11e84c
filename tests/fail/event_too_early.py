"""The flag is raised before the data is there."""

import threading

OUTCOME = "exception"


class Result:
    def __init__(self):
        self.ready = threading.Event()
        self.value = None

    def produce(self):
        self.ready.set()
        self.value = 42

    def consume(self):
        self.ready.wait()
        assert self.value == 42


setup = Result
threads = [Result.produce, Result.consume]
