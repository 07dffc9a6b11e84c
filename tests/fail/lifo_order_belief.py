"""The belief that the last item listed is the last one put."""

import queue

OUTCOME = "wrong-result"


def setup():
    return queue.LifoQueue()


threads = [lambda stack: stack.put("a"), lambda stack: stack.put("b")]


def check(stack):
    assert stack.get() == "b"
