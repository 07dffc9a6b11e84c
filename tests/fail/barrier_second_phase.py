"""The barrier orders the phases, not what happens within one."""

import threading

OUTCOME = "wrong-result"


class Simulation:
    def __init__(self):
        self.barrier = threading.Barrier(2)
        self.total = 0

    def step(self):
        self.barrier.wait()
        self.total += 1


setup = Simulation
threads = [Simulation.step, Simulation.step]


def check(simulation):
    assert simulation.total == 2
OPTIONS = {"max_executions": 2000}
