"""A loop that waits for its deadline, and asks a clock of its own, comes to its end."""

import time


class Deadline:
    def __init__(self):
        self.end = time.monotonic() + 5

    def passed(self):
        return time.monotonic() >= self.end


def wait():
    deadline = Deadline()
    while not deadline.passed():
        pass


setup = None
threads = [wait]
