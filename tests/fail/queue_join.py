"""Somebody forgets to say that a task is done."""

import queue

OUTCOME = "deadlock"


def setup():
    tasks = queue.Queue()
    tasks.put("task")
    return tasks


threads = [lambda tasks: tasks.get(), lambda tasks: tasks.join()]
