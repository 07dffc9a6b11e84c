"""What was written before the barrier is there behind it."""

import threading


class Exchange:
    def __init__(self):
        self.barrier = threading.Barrier(2)
        self.seen = {}

    def trade(self, mine, other):
        self.seen[mine] = True
        self.barrier.wait()
        assert self.seen[other]


setup = Exchange
threads = [lambda exchange: exchange.trade("a", "b"), lambda exchange: exchange.trade("b", "a")]
OPTIONS = {"max_executions": 2000}
