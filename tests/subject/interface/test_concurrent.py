"""Which classes count as meant for several threads."""

import textwrap

import pytest

from plait.subject.changes.units import Program, Unit
from plait.subject.interface.concurrent import Concurrent, is_lock_name
from plait.subject.source import Source


def reason(tmp_path, source, name="Thing", **others):
    for module, text in {"thing": source, **others}.items():
        (tmp_path / f"{module}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return Concurrent(Program(Source(tmp_path), "thing")).reason(Unit("thing", name))


OWN = [
    "import threading\nclass Thing:\n    def __init__(self):\n        self._lock = threading.RLock()\n",
    "import threading as t\nclass Thing:\n    def __init__(self, lock=None):\n        self._l = lock or t.Lock()\n",
    "from threading import Lock as L\nclass Thing:\n    guard = L()\n",
    "from queue import Queue\nclass Thing:\n    def __init__(self):\n        self.jobs = Queue()\n",
    "import concurrent.futures\nclass Thing:\n    def go(self): concurrent.futures.ThreadPoolExecutor()\n",
    "from concurrent import futures\nclass Thing:\n    def go(self):\n        return futures.ThreadPoolExecutor()\n",
    "from dataclasses import dataclass, field\nimport threading\n@dataclass\nclass Thing:\n"
    "    lock: object = field(default_factory=threading.Lock)\n",
    "class Thing:\n    def __init__(self, lock):\n        self._lock = lock\n    def go(self):\n"
    "        with self._lock: pass\n",
    "class Thing:\n    def go(self):\n        self.writeLock.acquire()\n",
    "import threading\n_LOCK = threading.Lock()\nclass Thing:\n    def go(self):\n        with _LOCK: pass\n",
    "def synchronized(f):\n    def inner(self):\n        with self.mutex:\n            f(self)\n    return inner\n"
    "class Thing:\n    @synchronized\n    def go(self): pass\n",
]


@pytest.mark.parametrize("source", OWN)
def test_locks_and_primitives_of_its_own(tmp_path, source):
    assert reason(tmp_path, source).startswith("uses ")


def test_a_lock_of_a_base_class(tmp_path):
    base = "import threading\nclass Base:\n    def __init__(self):\n        self._lock = threading.Lock()\n"
    found = reason(tmp_path, "from base import Base\nclass Thing(Base):\n    def go(self): pass\n", base=base)
    assert found == "inherits from Base, which uses threading.Lock"
    assert "Handler" in reason(tmp_path, "import logging\nclass Thing(logging.Handler):\n    def emit(self, r): pass\n")


def test_what_it_owns(tmp_path):
    store = "import threading\nclass Store:\n    def __init__(self):\n        self._lock = threading.Lock()\n"
    made = "from store import Store\nclass Thing:\n    def __init__(self):\n        self.store = Store()\n"
    assert reason(tmp_path, made, store=store) == "owns `self.store`, a Store, which threads may share"
    given = "from store import Store\nclass Thing:\n    def __init__(self, s: Store):\n        self.store = s\n"
    assert reason(tmp_path, given, store=store) == "owns `self.store`, a Store, which threads may share"


@pytest.mark.parametrize("text", ["Thread-safe.", "This class is\n    thread safe.", "May be used by several threads."])
def test_what_it_says(tmp_path, text):
    assert reason(tmp_path, f'class Thing:\n    """{text}"""\n') == "documented as thread-safe"


@pytest.mark.parametrize("source", [
    "class Thing:\n    def go(self): return 1\n",
    'import threading\nclass Thing:\n    """Not thread-safe."""\n    lock = threading.Lock()\n',
    'class Thing:\n    """This class is not itself thread safe."""\n',
    "import asyncio\nclass Thing:\n    def __init__(self):\n        self.gate = asyncio.Event()\n",
    "import threading\nclass Thing(threading.Thread):\n    def run(self): pass\n",
    "class Thing:\n    def go(self):\n        with self.clock: self.blocks.append(1)\n",
])  # fmt: skip
def test_classes_for_one_thread(tmp_path, source):
    assert reason(tmp_path, source) is None


@pytest.mark.parametrize(("text", "is_lock"), [
    ("self._lock", True), ("self._locks[key]", True), ("writeLock", True), ("self.not_empty_cond", True),
    ("self.clock", False), ("self.block", False), ("self.second", False),
])  # fmt: skip
def test_names_of_locks(text, is_lock):
    assert is_lock_name(text) is is_lock
