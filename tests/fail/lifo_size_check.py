"""The size of a stack is old news."""

import queue

OUTCOME = "exception"


def setup():
    stack = queue.LifoQueue()
    stack.put(1)
    return stack


def take(stack):
    if stack.qsize() > 0:
        stack.get(block=False)


threads = [take, take]
