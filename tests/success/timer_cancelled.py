"""A timer that is cancelled at once does not fire."""

import threading


class Alarm:
    def __init__(self):
        self.rang = False

    def ring(self):
        self.rang = True

    def run(self):
        timer = threading.Timer(3, self.ring)
        timer.start()
        timer.cancel()
        timer.join()


setup = Alarm
threads = [Alarm.run]


def check(alarm):
    assert not alarm.rang
