"""The action runs once, before anybody leaves."""

import threading


class Round:
    def __init__(self):
        self.barrier = threading.Barrier(2, action=self.begin)
        self.rounds = 0

    def begin(self):
        self.rounds += 1

    def play(self):
        self.barrier.wait()
        assert self.rounds == 1


setup = Round
threads = [Round.play, Round.play]
