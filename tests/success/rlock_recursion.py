"""A recursive function that takes the lock at every level."""

import threading


class Tree:
    def __init__(self):
        self.lock = threading.RLock()
        self.visits = 0

    def walk(self, depth):
        with self.lock:
            self.visits += 1
            if depth:
                self.walk(depth - 1)


setup = Tree
threads = [lambda tree: tree.walk(2), lambda tree: tree.walk(2)]


def check(tree):
    assert tree.visits == 6
