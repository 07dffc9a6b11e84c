"""Faults that take a certain state, or certain arguments, to show; each beside its sound version."""

import pytest

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.subject.name import Subject
from planted_classes import HITS

NAMES = '''
import threading

class Names:
    """To exchange the values of two names it takes two names, and two values."""

    def __init__(self):
        self._lock = threading.Lock()
        self._values = {}

    def put(self, name: str, value: int):
        with self._lock:
            self._values = {**self._values, name: value}

    def exchange(self, first: str, second: str):
        with self._lock:
            values = dict(self._values)
            values[first], values[second] = values[second], values[first]
            self._values = values

    def all(self):
        return dict(self._values)
'''
DIARY = '''
import threading
import time

class Unknown(Exception):
    """Nobody has said when."""

class Diary:
    """Entries are moved to the archive after an hour; an exception of its own says that there is none."""

    def __init__(self):
        self._lock = threading.Lock()
        self._made = {}
        self._moved = 0

    def write(self, page: str):
        with self._lock:
            self._made[page] = time.monotonic() + 3600

    def archive(self, page: str) -> int:
        with self._lock:
            if page not in self._made:
                raise Unknown(page)
            if self._made[page] > time.monotonic():
                return -1
            del self._made[page]
            self._moved += 1
            return self._moved

    def is_open(self, page: str) -> bool:
        with self._lock:
            return self._made.get(page, 0) > time.monotonic()
'''
VISITS = '''
import threading
from typing import Protocol

class Store(Protocol):
    def load(self, key: str) -> int | None: ...
    def save(self, key: str, value: int) -> None: ...

class Visits:
    """All of its state is in what it is given: a stand-in that forgets would hide every fault."""

    def __init__(self, store: Store):
        self._store = store
        self._lock = threading.Lock()

    def visit(self, page: str) -> int:
        with self._lock:
            count = (self._store.load(page) or 0) + 1
            self._store.save(page, count)
        return count
'''
EDITOR = '''
import threading

class Editor:
    """Only what was undone can be redone."""

    def __init__(self):
        self._lock = threading.RLock()
        self._done, self._undone = [], []

    def write(self, text: str):
        with self._lock:
            self._done.append(text)
            self._undone.clear()

    def undo(self) -> bool:
        with self._lock:
            if not self._done:
                return False
            self._undone.append(self._done.pop())
            return True

    def redo(self) -> bool:
        with self._lock:
            if not self._undone:
                return False
            self._done.append(self._undone[-1])
            self._undone.pop()
            return True

    def text(self) -> str:
        with self._lock:
            return "".join(self._done)
'''
STRIPES = '''
import threading

class Stripes:
    """Its size is a sum over parts with a lock each: one change after another must not be seen the other way round."""

    def __init__(self):
        self._locks = [threading.Lock(), threading.Lock()]
        self._parts = [{}, {}]

    def put(self, key: str, value: int):
        at = ord(key[0]) % 2 if key else 0
        with self._locks[at]:
            self._parts[at][key] = value

    def remove(self, key: str):
        at = ord(key[0]) % 2 if key else 0
        with self._locks[at]:
            return self._parts[at].pop(key, None)

    def size(self) -> int:
        with self._locks[0]:
            size = len(self._parts[0])
            with self._locks[1]:
                return size + len(self._parts[1])
'''
COUNTDOWN = '''
import threading

class Countdown:
    """It ends at zero, which nobody would give for a count."""

    def __init__(self, count: int = 2):
        self._left = count
        self._changed = threading.Condition()

    def count_down(self):
        with self._changed:
            if self._left > 0:
                self._left -= 1
            self._changed.notify_all()

    def reset(self, count: int):
        with self._changed:
            self._left = count
            self._changed.notify_all()

    def wait(self):
        with self._changed:
            while self._left > 0:
                self._changed.wait()
'''
PLANTED = {
    "one half read before the lock is taken": (
        HITS, "Hits", "        with self._lock:\n            return self._hits, self._misses",
        "        hits = self._hits\n        with self._lock:\n            return hits, self._misses", 500,
    ),
    "copy-on-write made in-place": (NAMES, "Names", "values = dict(self._values)", "values = self._values", 500),
    "one lock given up in the middle, where something can be redone": (
        EDITOR, "Editor", "            self._undone.pop()\n            return True",
        "        with self._lock:\n            self._undone.pop()\n            return True", 100,
    ),
    "the locks of two parts taken one after the other": (
        STRIPES, "Stripes", "            with self._locks[1]:\n                return size",
        "        with self._locks[1]:\n            return size", 200,
    ),
    "nobody told when a limit is set at once": (
        COUNTDOWN, "Countdown", "            self._left = count\n            self._changed.notify_all()",
        "            self._left = count", 100,
    ),
    "a collaborator's state read before the lock is taken": (
        VISITS, "Visits",
        "        with self._lock:\n            count = (self._store.load(page) or 0) + 1",
        "        count = (self._store.load(page) or 0) + 1\n        with self._lock:", 40,
    ),
    "the state changed outside the lock, behind an hour": (
        DIARY, "Diary",
        "            del self._made[page]\n            self._moved += 1\n            return self._moved",
        "        del self._made[page]\n        self._moved += 1\n        return self._moved", 400,
    ),
}  # fmt: skip


def checked(tmp_path, text, cls, tests):
    (tmp_path / "planted.py").write_text(text, encoding="utf-8")
    return check(
        CheckOptions(
            Subject("planted", cls), project=tmp_path, max_tests=tests, workers=1, streams=1,
            keep_going=False,
        )
    )  # fmt: skip


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_fault_is_found_and_its_original_is_silent(planted, tmp_path, monkeypatch):
    base, cls, before, after, tests = PLANTED[planted]
    assert before in base
    monkeypatch.chdir(tmp_path)
    assert checked(tmp_path, base.replace(before, after), cls, tests).verdict == "violation"
    assert checked(tmp_path, base, cls, 60).verdict == "none"
