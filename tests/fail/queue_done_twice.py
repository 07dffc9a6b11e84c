"""One task, done by two."""

import queue

OUTCOME = "exception"


class Tasks:
    def __init__(self):
        self.queue = queue.Queue()
        self.queue.put("task")

    def finish(self):
        if self.queue.unfinished_tasks:
            self.queue.task_done()


setup = Tasks
threads = [Tasks.finish, Tasks.finish]
