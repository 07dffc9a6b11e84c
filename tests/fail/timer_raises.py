"""An error in a timer has nobody to catch it."""

import threading

OUTCOME = "exception"


def run():
    timer = threading.Timer(5, [].pop)
    timer.start()
    timer.join()


setup = None
threads = [run]
