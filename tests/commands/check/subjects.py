"""Small classes with one trait each, for `plait check`."""

import hashlib
import os
import random
import sys
import threading
import time
from collections import UserDict
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

MADE = iter(range(1_000_000))  # written in C: not put back between executions


class Counter:
    """Loses updates."""

    def __init__(self):
        self.value = 0

    def inc(self):
        self.value = self.value + 1

    def get(self):
        return self.value


class Uncontrolled:
    def __init__(self):
        if hasattr(threading.Lock().acquire, "__code__"):  # the real one is written in C
            raise RuntimeError("somebody controls this")

    def look(self):
        return 1


class LockedCounter:
    def __init__(self):
        self._lock = threading.Lock()
        self.value = 0

    def inc(self):
        with self._lock:
            self.value = self.value + 1

    def get(self):
        with self._lock:
            return self.value


class ForgottenLock:
    """One of four places lacks the lock."""

    def __init__(self):
        self._lock = threading.Lock()
        self._items = {}

    def put(self, key, value):
        with self._lock:
            self._items[key] = value

    def size(self):
        with self._lock:
            return len(self._items)

    def clear(self):
        with self._lock:
            self._items.clear()

    def take(self, key):
        if key in self._items:
            return self._items.pop(key)
        return None


class Transfer:
    """Two objects take each other's locks."""

    def __init__(self):
        self._lock = threading.Lock()
        self.total = 10

    def move(self, other: "Transfer"):
        if other is self:
            return
        with self._lock, other._lock:
            self.total, other.total = self.total - 1, other.total + 1


class OwnLock:
    """A method that calls another one under a lock which is not re-entrant."""

    def __init__(self):
        self._lock = threading.Lock()
        self.calls = 0

    def outer(self):
        with self._lock:
            return self.inner()

    def inner(self):
        with self._lock:
            return self.calls


class JoinsUnderLock:
    """Joins its thread while it holds the lock that the thread needs."""

    def __init__(self):
        self._lock = threading.Lock()
        self._thread = None
        self._count = 0

    def start(self):
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def _run(self):
        with self._lock:
            self._count += 1

    def stop(self):
        with self._lock:
            if self._thread is not None:
                self._thread.join()
                self._thread = None


class JoinsOutside(JoinsUnderLock):
    """The same with the join behind the lock's release."""

    def stop(self):
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()


class ShutsDownUnderLock:
    """Waits for the tasks of its pool while it holds the lock that they need."""

    def __init__(self):
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._done = 0

    def submit(self):
        with self._lock:
            if self._pool is not None:
                self._pool.submit(self._work)

    def _work(self):
        with self._lock:
            self._done += 1

    def close(self):
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown()
                self._pool = None


class ShutsDownOutside(ShutsDownUnderLock):
    """The same with the wait behind the lock's release."""

    def close(self):
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()


class WaitsForInput:
    """Joins a thread that waits, holding nothing, until somebody gives it something: by design, maybe for ever."""

    def __init__(self):
        self._given = threading.Event()
        self._joining = threading.Lock()
        self._thread = threading.Thread(target=self._given.wait, daemon=True)
        self._thread.start()

    def give(self):
        self._given.set()

    def join(self):
        with self._joining:
            self._thread.join()


class HandsLockOut:
    """Leaves its lock to the caller between two calls; whoever then joins without giving it back is to blame."""

    def __init__(self):
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        with self._lock:
            pass

    def start(self):
        with self._lock:
            if self._thread.ident is None:
                self._thread.start()

    def acquire(self):
        self._lock.acquire()

    def release(self):
        self._lock.release()

    def join(self):
        if self._thread.ident is not None:
            self._thread.join()


class Once:
    """Makes its part when first asked, without a lock."""

    def __init__(self):
        self._part = None

    def part(self):
        if self._part is None:
            self._part = _Part()
        return self._part


class _Part:
    pass


class ThreeSteps:
    """Goes wrong only if two other methods run inside the gap."""

    def __init__(self):
        self._lock = threading.Lock()
        self._data = [1, 2, 3]
        self._count = 3

    def last(self):
        index = self._count - 1
        with self._lock:
            return self._data[index] if index >= 0 else None

    def empty(self):
        with self._lock:
            self._count = 0

    def trim(self):
        with self._lock:
            self._data = self._data[: self._count]

    def refill(self):
        with self._lock:
            self._data = [1, 2, 3]
            self._count = 3


class Dice:
    """A result that differs by itself, and sound otherwise."""

    def __init__(self):
        self._lock = threading.Lock()
        self._rolls = 0

    def roll(self):
        with self._lock:
            self._rolls += 1
            return random.random()

    def rolls(self):
        with self._lock:
            return self._rolls


class Pair:
    """Keeps two fields equal, or should."""

    def __init__(self):
        self.left = self.right = 0

    def both(self, value: int):
        self.left = value
        self.right = value


class Gate:
    """A context manager around a lock: entering and leaving are two calls."""

    def __init__(self):
        self._lock = threading.Lock()

    def __enter__(self):
        self._lock.acquire()
        return self

    def __exit__(self, *_exception):
        self._lock.release()

    def busy(self):
        return self._lock.locked()


class CheckedDict(dict):
    """Check, then act."""

    def claim(self, key):
        if key in self:
            return False
        self[key] = True
        return True


class Slow:
    """Takes its time between looking and taking: on OS threads two calls meet there nearly always."""

    def __init__(self):
        self._items = {"a": 1}

    def take(self):
        if "a" in self._items:
            for _ in range(30000):
                pass
            return self._items.pop("a")
        return None


class Crowded:
    """One method can disturb one other; the rest look at something of their own."""

    def __init__(self):
        self._parts = dict.fromkeys(range(24), 0)
        self._items = []

    def take_all(self):
        taken = self._items
        self._items = []
        return list(taken)

    def give(self):
        if not self._items:
            self._items.append(1)


def _part(number):
    def look(self):
        return self._parts[number]

    return look


for _number in range(24):
    setattr(Crowded, f"look_{_number}", _part(_number))


class Needy:
    def __init__(self, part):
        self.part = part.give_me_what_nobody_has()

    def use(self):
        return self.part


class Empty:
    pass


class Inherited(UserDict):
    """Everything it does, the standard library does for it."""


class Exiting:
    """A command-line helper: one of its methods ends the program."""

    def __init__(self):
        self.runs = 0

    def run(self):
        self.runs += 1
        return self.runs

    def leave(self, status=0):
        sys.exit(status)


class Worn:
    """Can be built a few hundred times: its set-up depends on something that no execution puts back."""

    def __init__(self):
        if next(MADE) > 400:
            raise OSError("used up")
        self.value = 0

    def inc(self):
        self.value += 1


class Poller:
    """Waits by looking again and again."""

    def __init__(self):
        self._ready = False

    def set(self):
        self._ready = True

    def wait(self):
        while not self._ready:
            time.sleep(0.05)
        return self._ready


class Wrapped:
    """The methods that come first in the alphabet only call one that is at fault."""

    def __init__(self):
        self._amount = 0

    def append(self):
        return self.put()

    def put(self):
        amount = self._amount
        self._amount = amount + 1
        return amount


class Shared:
    """Two methods whose faults lie in the same helpers."""

    def __init__(self):
        self._amount = 0

    def less(self):
        self._write(self._read() - 1)

    def more(self):
        self._write(self._read() + 1)

    def amount(self):
        return self._amount

    def _read(self):
        return self._amount

    def _write(self, amount):
        self._amount = amount


class Table:
    """Each look-up and each change holds the lock, a method that does both does not."""

    def __init__(self):
        self._lock = threading.Lock()
        self._amounts = {}

    def get(self, key):
        with self._lock:
            return self._amounts.get(key, 0)

    def _put(self, key, amount):
        with self._lock:
            self._amounts[key] = amount

    def more(self, key):
        amount = self.get(key)
        self._put(key, amount + 1)


class Emptied:
    """Waits for an item that was there a moment ago."""

    def __init__(self):
        self._items = Queue()

    def fill(self):
        self._items.put(1)

    def drain(self):
        while not self._items.empty():
            self._items.get()


class Staffed:
    """What is under way can be seen, and that is no fault: the call waits for something outside."""

    def __init__(self):
        self._lock = threading.Lock()
        self._busy = []

    def work(self, job):
        with self._lock:
            self._busy.append(job)
        self._outside.wait_for_answer()
        with self._lock:
            self._busy.remove(job)

    def busy(self):
        with self._lock:
            return list(self._busy)

    @property
    def _outside(self):
        return _Outside()


class _Outside:
    def wait_for_answer(self):
        return None


class WithWorker:
    """Its constructor starts a thread that waits for work."""

    def __init__(self):
        self._lock = threading.Lock()
        self._work = threading.Event()
        self.value = 0
        threading.Thread(target=self._work.wait, daemon=True).start()

    def inc(self):
        self.value = self.value + 1

    def both(self):
        with self._lock:
            self.nested()

    def nested(self):
        with self._lock:
            return self.value


class Link:
    """A place in a ring."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.before = self.after = self

    def remove(self) -> None:
        self.before.after = self.after
        self.after.before = self.before

    def insert(self, root: "Link") -> None:
        self.before, self.after = root, root.after
        root.after.before = self
        root.after = self


class Ring:
    """Keeps names in the order of their use. Two threads that use the same one can link it to itself."""

    def __init__(self) -> None:
        self._root = Link("")
        self._links = {name: Link(name) for name in ("a", "b")}
        for link in self._links.values():
            link.insert(self._root)

    def use(self, name: str) -> None:
        link = self._links.get(name)
        if link is not None:
            link.remove()
            link.insert(self._root)

    def names(self) -> list[str]:
        found, link = [], self._root.after
        while link is not self._root:
            found.append(link.name)
            link = link.after
        return found


class Dao:
    """Needs an engine, and gets what its signature tells: nothing."""

    def __init__(self, engine):
        self._engine = engine
        self._lock = threading.Lock()

    def fetch(self, key: str):
        with self._lock:
            return self._engine.connect().select(key)

    def save(self, key: str, value: int):
        with self._lock:
            self._engine.connect().insert(key, value)


class Display:
    """Most of its methods want a name that no call returns, and that is too long for a value of plait's."""

    def __init__(self):
        self._tasks = {}
        self._lock = threading.RLock()

    def add(self, name: str):
        with self._lock:
            self._tasks[hashlib.sha256(str(len(self._tasks)).encode()).hexdigest()] = 0
            return None

    def advance(self, task, amount: float = 1.0):
        with self._lock:
            self._tasks[task] += amount

    def remove(self, task):
        with self._lock:
            del self._tasks[task]


class Stateless:
    """Has nothing that threads could share."""

    def add(self, first: int, second: int):
        return first + second

    def double(self, number: int):
        return 2 * number


class Flag:
    """Each call is one access: they cannot overlap, and both orders are seen."""

    def __init__(self):
        self._on = False

    def set(self):
        self._on = True

    def get(self):
        return self._on


class Single:
    """Its class method makes the one object when it is first asked for it, without a lock."""

    _instance = None

    def __init__(self):
        self._value = 1

    @classmethod
    def instance(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def value(self):
        return self._value


class Connected:
    """Its constructor waits for another process, which never answers."""

    def __init__(self):
        self._answers, self._asks = os.pipe()
        os.read(self._answers, 1)
        self.value = 0

    def add(self):
        self.value += 1


class Endless:
    """Gives things for ever."""

    def __init__(self):
        self._given = 0
        self._lock = threading.Lock()

    def __iter__(self):
        while True:
            yield 1

    def give(self):
        with self._lock:
            self._given += 1
            return self._given


class SignalsByLock:
    """A call takes a lock of its own twice; another call releases it."""

    def __init__(self):
        self._guard = threading.Lock()
        self._waiting = []
        self._open = False

    def wait(self):
        with self._guard:
            if self._open:
                return
            signal = threading.Lock()
            signal.acquire()
            self._waiting.append(signal)
        signal.acquire()

    def open(self):
        with self._guard:
            self._open = True
            for signal in self._waiting:
                signal.release()
            self._waiting.clear()


class KeepsLockOnError:
    """Reads what it is given while it holds the lock, and keeps the lock if that fails."""

    def __init__(self):
        self._lock = threading.Lock()
        self._items = []

    def put_all(self, items: list):
        self._lock.acquire()
        for item in items:
            self._items.append(item)
        self._lock.release()

    def size(self):
        with self._lock:
            return len(self._items)


class ReleasesOnError(KeepsLockOnError):
    """The same with the release in a ``finally``."""

    def put_all(self, items: list):
        self._lock.acquire()
        try:
            for item in items:
                self._items.append(item)
        finally:
            self._lock.release()
