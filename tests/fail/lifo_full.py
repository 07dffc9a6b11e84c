"""A bounded stack: pushing waits for ever."""

import queue

OUTCOME = "deadlock"


def setup():
    return queue.LifoQueue(1)


threads = [lambda stack: stack.put(1), lambda stack: stack.put(2)]
