"""All tasks are done when join returns."""

import queue


class Tasks:
    def __init__(self):
        self.queue = queue.Queue()
        self.queue.put(1)
        self.done = []

    def work(self):
        self.done.append(self.queue.get())
        self.queue.task_done()

    def wait(self):
        self.queue.join()
        assert self.done == [1]


setup = Tasks
threads = [Tasks.work, Tasks.wait]
