"""What each structure should do, one call at a time, and what it holds: the assertions of the study.

A model has the methods of its structure. ``contents`` reads a structure's own fields, without taking its locks.
"""

from __future__ import annotations

from collections import deque


class SetModel:
    """Of the three lists."""

    def __init__(self, structure: object) -> None:
        self.keys: set[int] = set()

    def insert(self, key: int) -> bool:
        new = key not in self.keys
        self.keys.add(key)
        return new

    def remove(self, key: int) -> bool:
        known = key in self.keys
        self.keys.discard(key)
        return known

    def contains(self, key: int) -> bool:
        return key in self.keys

    def held(self) -> object:
        return sorted(self.keys)

    @staticmethod
    def contents(structure) -> object:
        found, node = [], _following(structure._head)
        while _following(node) is not None:
            if not _is_deleted(node):
                found.append(node.key)
            node = _following(node)
        return found


def _following(node):
    return node.next.__pair__[0] if hasattr(node.next, "__pair__") else node.next


def _is_deleted(node) -> bool:
    return node.next.__pair__[1] if hasattr(node.next, "__pair__") else getattr(node, "marked", False)


class QueueModel:
    """Of the linked queues."""

    def __init__(self, structure: object) -> None:
        self.values: deque[int] = deque()

    def enqueue(self, value: int) -> None:
        self.values.append(value)

    def dequeue(self) -> int | None:
        return self.values.popleft() if self.values else None

    def size(self) -> int:
        return len(self.values)

    def held(self) -> object:
        return list(self.values)

    @staticmethod
    def contents(structure) -> object:
        found, node = [], getattr(structure._head, "__value__", structure._head)
        while True:
            node = getattr(node.next, "__value__", node.next)
            if node is None:
                return found
            found.append(node.value)


class RingModel:
    """Of the ring, which has a capacity."""

    def __init__(self, structure) -> None:
        self.values: deque[int] = deque()
        self.room = len(structure._slots)

    def push(self, value: int) -> bool:
        if len(self.values) == self.room:
            return False
        self.values.append(value)
        return True

    def pop(self) -> int | None:
        return self.values.popleft() if self.values else None

    def held(self) -> object:
        return list(self.values)

    @staticmethod
    def contents(structure) -> object:
        first, end = structure._tail.__value__, structure._head.__value__
        return [structure._slots[index % len(structure._slots)].__value__ for index in range(first, end)]


class StackModel:
    """Of the stack."""

    def __init__(self, structure: object) -> None:
        self.values: list[int] = []

    def push(self, value: int) -> None:
        self.values.append(value)

    def pop(self) -> int | None:
        return self.values.pop() if self.values else None

    def held(self) -> object:
        return self.values[::-1]

    @staticmethod
    def contents(structure) -> object:
        found, node = [], structure._top.__value__
        while node is not None:
            found.append(node.value)
            node = node.below
        return found


class TableModel:
    """Of the hash table."""

    def __init__(self, structure: object) -> None:
        self.values: dict[int, int] = {}

    def insert(self, key: int, value: int) -> bool:
        new = key not in self.values
        self.values[key] = value
        return new

    def erase(self, key: int) -> bool:
        return self.values.pop(key, None) is not None

    def find(self, key: int) -> int | None:
        return self.values.get(key)

    def held(self) -> object:
        return sorted(self.values.items())

    @staticmethod
    def contents(structure) -> object:
        found = []
        for bucket in structure._buckets:
            entry = bucket.first
            while entry is not None:
                found.append((entry.key, entry.value))
                entry = entry.next
        return sorted(found)


MODELS = {"set": SetModel, "queue": QueueModel, "ring": RingModel, "stack": StackModel, "table": TableModel}
