"""Join works for stacks, too."""

import queue


def setup():
    stack = queue.LifoQueue()
    stack.put(1)
    return stack


def work(stack):
    stack.get()
    stack.task_done()


threads = [work, lambda stack: stack.join()]


def check(stack):
    assert stack.unfinished_tasks == 0
