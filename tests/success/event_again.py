"""A flag that goes up and down, one phase after another."""

import threading


class Phases:
    def __init__(self):
        self.first = threading.Event()
        self.second = threading.Event()
        self.log = []

    def lead(self):
        self.log.append("a")
        self.first.set()
        self.second.wait()
        self.log.append("c")

    def follow(self):
        self.first.wait()
        self.first.clear()
        self.log.append("b")
        self.second.set()


setup = Phases
threads = [Phases.lead, Phases.follow]


def check(phases):
    assert phases.log == ["a", "b", "c"]
