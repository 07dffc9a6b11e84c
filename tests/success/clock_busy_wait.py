"""A loop that does nothing but look at the clock comes to its end."""

import time


def wait():
    end = time.monotonic() + 5
    while time.monotonic() < end:
        pass


setup = None
threads = [wait]
