"""Data first, flag second."""

import threading


class Result:
    def __init__(self):
        self.ready = threading.Event()
        self.value = None

    def produce(self):
        self.value = 42
        self.ready.set()

    def consume(self):
        assert self.ready.wait()
        assert self.value == 42


setup = Result
threads = [Result.produce, Result.consume, Result.consume]
