"""The classic: a deque that was not empty a moment ago."""

from collections import deque

OUTCOME = "exception"


def setup():
    return deque([1])


def take(items):
    if items:
        items.popleft()


threads = [take, take]
