"""Polling with a deadline: the other thread needs longer."""

import time

OUTCOME = "exception"


class Job:
    def __init__(self):
        self.done = False

    def work(self):
        time.sleep(10)
        self.done = True

    def poll(self):
        end = time.monotonic() + 5
        while not self.done:
            assert time.monotonic() < end
            time.sleep(1)


setup = Job
threads = [Job.work, Job.poll]
