"""Polling until the work is done."""

import time


class Job:
    def __init__(self):
        self.done = False

    def work(self):
        time.sleep(3)
        self.done = True

    def poll(self):
        while not self.done:
            time.sleep(1)


setup = Job
threads = [Job.work, Job.poll]
OPTIONS = {"max_executions": 2000}
