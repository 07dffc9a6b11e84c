"""A timer fires after everything else."""

import threading


class Alarm:
    def __init__(self):
        self.log = []

    def run(self):
        timer = threading.Timer(3, self.log.append, args=["timer"])
        timer.start()
        self.log.append("work")
        timer.join()


setup = Alarm
threads = [Alarm.run]


def check(alarm):
    assert alarm.log == ["work", "timer"]
