"""Somebody waits for a timer that was cancelled."""

import threading

OUTCOME = "deadlock"


class Alarm:
    def __init__(self):
        self.rang = threading.Event()
        self.timer = None

    def arm(self):
        self.timer = threading.Timer(10, self.rang.set)
        self.timer.start()
        self.timer.cancel()

    def wait(self):
        self.rang.wait()


setup = Alarm
threads = [Alarm.arm, Alarm.wait]
