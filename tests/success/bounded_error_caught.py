"""The error of one release too many is expected."""

import threading


class Slot:
    def __init__(self):
        self.permit = threading.BoundedSemaphore(1)
        self.errors = 0

    def give(self):
        try:
            self.permit.release()
        except ValueError:
            self.errors += 1


setup = Slot
threads = [Slot.give]


def check(slot):
    assert slot.errors == 1
