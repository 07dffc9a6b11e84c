"""Two timers strike at the same time."""

import threading

OUTCOME = "wrong-result"


class Clock:
    def __init__(self):
        self.ticks = 0

    def tick(self):
        self.ticks += 1

    def run(self):
        timers = [threading.Timer(1, self.tick), threading.Timer(1, self.tick)]
        for timer in timers:
            timer.start()
        for timer in timers:
            timer.join()


setup = Clock
threads = [Clock.run]


def check(clock):
    assert clock.ticks == 2
OPTIONS = {"max_executions": 3000}
