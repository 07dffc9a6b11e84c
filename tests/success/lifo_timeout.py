"""A put that gives up."""

import queue


def setup():
    stack = queue.LifoQueue(1)
    stack.put(0)
    return stack


def push(stack):
    try:
        stack.put(1, timeout=2)
    except queue.Full:
        return
    raise AssertionError


threads = [push]
