"""Classes with one or more defects each: races, exceptions, deadlocks, a lost wake-up."""

import threading


class Counter:
    def __init__(self):
        self.value = 0

    def add(self, amount: int = 1):
        before = self.value
        self.value = before + amount

    def get(self):
        return self.value


class Cache:
    def __init__(self):
        self._lock = threading.Lock()
        self._items = {}

    def put(self, key: str, value: int):
        with self._lock:
            self._items[key] = value

    def size(self):
        with self._lock:
            return len(self._items)

    def take(self, key: str):
        if key in self._items:
            found = self._items.pop(key)
            return found
        return None

    def names(self):
        found = []
        for name in self._items:
            found.append(name)
        return found


class Bank:
    def __init__(self):
        self._left = threading.Lock()
        self._right = threading.Lock()
        self.left = 0
        self.right = 0

    def forth(self, amount: int):
        with self._left, self._right:
            self.left -= amount
            self.right += amount

    def back(self, amount: int):
        with self._right:
            with self._left:
                self.right -= amount
                self.left += amount


class Lazy:
    def __init__(self):
        self._made = None
        self.times = 0

    def get(self):
        if self._made is None:
            self._made = self._make()
        return self._made

    def _make(self):
        self.times = self.times + 1
        return [self.times]


class Account:
    def __init__(self):
        self._lock = threading.RLock()
        self.balance = 10

    def withdraw(self, amount: int):
        enough = self.balance >= amount
        if enough:
            with self._lock:
                rest = self.balance - amount
                self.balance = rest
        return enough

    def deposit(self, amount: int):
        with self._lock:
            self.balance = self.balance + amount


class Bounded:
    def __init__(self):
        self._changed = threading.Condition()
        self._items = []

    def put(self, item: int):
        with self._changed:
            self._items.append(item)
            self._changed.notify()

    def take(self):
        with self._changed:
            if not self._items:
                self._changed.wait()
            return self._items.pop()


class Listeners:
    def __init__(self):
        self._known = []

    def register(self, name: str):
        if name not in self._known:
            self._known.append(name)

    def drop(self, name: str):
        if name in self._known:
            self._known.remove(name)

    def count(self):
        return len(self._known)


class Pair:
    def __init__(self):
        self._lock = threading.Lock()
        self.low = 0
        self.high = 0

    def move(self, by: int):
        self.low = self.low + by
        self.high = self.low + 1

    def width(self):
        low, high = self.low, self.high
        return high - low
