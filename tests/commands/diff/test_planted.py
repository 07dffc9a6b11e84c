"""Changes that leave every lockset as it was: `plait diff` finds what they break."""

import pytest

from plait.report.diff_text import diff_text
from plait.report.layout import Layout, as_text
from planted_classes import HITS

PAIR = """
import threading

class Pair:
    def __init__(self):
        self._lock = threading.Lock()
        self._a = 0
        self._b = 0

    def put(self):
        with self._lock:
            self._a += 1
            self._b += 1

    def get(self):
        with self._lock:
            return (self._a, self._b)
"""
ACCOUNTS = """
import threading

class Accounts:
    def __init__(self):
        self._first = threading.Lock()
        self._second = threading.Lock()
        self._a = self._b = 10

    def there(self, n: int):
        with self._first:
            with self._second:
                self._a -= n
                self._b += n

    def total(self):
        with self._first:
            with self._second:
                return self._a + self._b
"""
LATCH = """
import threading

class Latch:
    def __init__(self):
        self._condition = threading.Condition()
        self._open = False

    def open(self):
        with self._condition:
            self._open = True
            self._condition.notify_all()

    def wait(self):
        with self._condition:
            while not self._open:
                self._condition.wait()
            return True
"""
STORE = """
import threading

class Store:
    def __init__(self):
        self._condition = threading.Condition()
        self._items = []

    def put(self, item: int):
        with self._condition:
            self._items.append(item)
            self._condition.notify_all()

    def take(self):
        with self._condition:
            while not self._items:
                self._condition.wait()
            return self._items.pop()
"""
CHANNEL = """
import threading

class Channel:
    def __init__(self):
        self._condition = threading.Condition()
        self._items = []
        self._taken = 0

    def send(self, item: int):
        with self._condition:
            self._items.append(item)
            self._condition.notify_all()
            while item in self._items:
                self._condition.wait()

    def receive(self):
        with self._condition:
            while not self._items:
                self._condition.wait()
            self._condition.notify_all()
            return self._items.pop()
"""


@pytest.mark.parametrize(
    ("base", "name", "before", "after", "said"),
    [
        (PAIR, "Pair", "            self._b += 1", "        with self._lock:\n            self._b += 1", "(1, 0)"),
        (
            ACCOUNTS, "Accounts", "def total(self):\n        with self._first:\n            with self._second:",
            "def total(self):\n        with self._second:\n            with self._first:", "wait for ever",
        ),
        (
            LATCH, "Latch", "            self._open = True\n            self._condition.notify_all()",
            "            self._condition.notify_all()\n        with self._condition:\n            self._open = True",
            "wait for ever",
        ),
        (LATCH, "Latch", "            self._condition.notify_all()\n", "", "wait for ever"),
        (LATCH, "Latch", "notify_all()", "notify()", "wait for ever"),
        (STORE, "Store", "while not self._items", "if not self._items", "IndexError"),
        # In every order of whole calls somebody waits: one thread alone cannot show the difference.
        (CHANNEL, "Channel", "            self._condition.notify_all()\n            return", "            return",
         "wait for ever"),
    ],
    ids=[
        "split critical section", "swapped locks", "notification before the change of state", "no notification",
        "one notification for two", "if for while", "no notification where all wait",
    ],
)  # fmt: skip
def test_a_change_without_another_lockset_is_found(compare, base, name, before, after, said):
    assert before in base
    result = compare(base, base.replace(before, after), name, tests=60, reproduce=False)
    assert result.verdict == "difference"
    assert said in result.findings[0].summary
    assert result.findings[0].only_new


def test_what_is_new_comes_first(compare):
    """The change mends one method and breaks another one; it is reported by what it breaks."""
    old = """
import threading

class Two:
    def __init__(self):
        self._lock = threading.Lock()
        self._a = self._b = 0

    def mended(self):
        a = self._a
        self._a = a + 1
        return a

    def broken(self):
        with self._lock:
            b = self._b
            self._b = b + 1
            return b
"""
    plain = "        a = self._a\n        self._a"
    new = old.replace(plain, "        with self._lock:\n            a = self._a\n            self._a")
    new = new.replace("            b = self._b\n", "            b = self._b\n        with self._lock:\n")
    result = compare(old, new, "Two", tests=60, seed=1, reproduce=False)
    first, second = result.findings
    assert (first.methods, bool(first.only_new)) == (["Two.broken"], True)
    assert (second.methods, bool(second.only_new)) == (["Two.mended"], False)
    assert second.summary.startswith("Two: Fixed by this change: ")
    said = as_text(diff_text(result, Layout(unwrapped=True)))
    assert said.index(first.summary) < said.index(second.summary)


def test_what_no_whole_call_reaches_is_checked_all_the_same(compare):
    """The changed branch is for a value that only an interleaving writes: no trace of whole calls goes there."""
    old = """
import threading

class Meter:
    def __init__(self):
        self._lock = threading.Lock()
        self._level = 0

    def pulse(self):
        self._level = 5
        self._level = 0

    def read(self):
        level = self._level
        if level:
            level = 1
        return level
"""
    result = compare(old, old.replace("level = 1\n", "level = 2\n"), "Meter", tests=60, reproduce=False)
    assert result.verdict == "difference"


def test_a_lock_that_a_call_under_way_still_waits_for_is_thrown_away(compare):
    """It takes a call behind the changed one, in the same thread, beside one that has got hold of the lock before."""
    old = """
import threading

class Uses:
    def __init__(self):
        self._guard = threading.Lock()
        self._locks = {}
        self._uses = {}

    def _lock(self, name):
        with self._guard:
            return self._locks.setdefault(name, threading.Lock())

    def use(self, name: str):
        with self._lock(name):
            self._uses[name] = self._uses.get(name, 0) + 1
            return self._uses[name]

    def forget(self, name: str):
        with self._lock(name):
            return self._uses.pop(name, 0)
"""
    forgets = "            return self._uses.pop"
    new = old.replace(forgets, f"            self._locks.pop(name)\n{forgets}")
    result = compare(old, new, "Uses", tests=120, reproduce=False)
    assert result.verdict == "difference"


def test_what_only_one_thread_with_two_calls_can_tell(compare):
    """Each of the calls fits what the look has seen, but not both of them in their order."""
    whole = "        with self._lock:\n            return self._hits, self._misses"
    new = HITS.replace(
        whole, whole.replace("self._hits,", "hits,").replace("        with", "        hits = self._hits\n        with")
    )
    result = compare(HITS, new, "Hits", tests=300, reproduce=False)
    assert result.verdict == "difference"
    assert sorted(map(len, result.findings[0].test.suffixes)) == [1, 2]


def test_time_passes_before_the_threads_start(compare):
    """Only what was written an hour ago is archived."""
    old = """
import threading
import time

class Diary:
    def __init__(self):
        self._lock = threading.Lock()
        self._until = {}

    def write(self, page: str):
        with self._lock:
            self._until[page] = time.monotonic() + 3600

    def archive(self, page: str) -> bool:
        with self._lock:
            if self._until.get(page, 1e12) > time.monotonic():
                return False
            return self._until.pop(page, None) is not None
"""
    pop = "            return self._until.pop(page, None) is not None"
    new = old.replace(
        pop, "            found = page in self._until\n        self._until.pop(page, None)\n        return found"
    )
    assert new != old
    result = compare(old, new, "Diary", tests=300, reproduce=False)
    assert result.verdict == "difference"
    assert any("sleep(100000)" in call.expression for call in result.findings[0].test.prefix)
