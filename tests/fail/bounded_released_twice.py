"""One release too many is an error, whoever makes it."""

import threading

OUTCOME = "exception"


class Slot:
    def __init__(self):
        self.permit = threading.BoundedSemaphore(1)

    def use(self):
        self.permit.acquire()
        self.permit.release()
        self.permit.release()


setup = Slot
threads = [Slot.use]
