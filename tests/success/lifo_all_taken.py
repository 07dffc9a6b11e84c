"""Every item is taken once."""

import queue


class Stack:
    def __init__(self):
        self.items = queue.LifoQueue()
        self.taken = []

    def push(self):
        self.items.put(1)
        self.items.put(2)

    def pop(self):
        self.taken.append(self.items.get())


setup = Stack
threads = [Stack.push, Stack.pop, Stack.pop]


def check(stack):
    assert sorted(stack.taken) == [1, 2]
