"""What a change does to the locks of a function."""

import ast
import textwrap

import pytest

from plait.subject.changes.locks import LockChange, compare_locks


def function(text):
    return ast.parse(textwrap.dedent(text)).body[0]


UNLOCKED = "def put(self):\n    self.a = 1\n    self.b = 2\n"
FIRST = "def put(self):\n    with self._lock:\n        self.a = 1\n    self.b = 2\n"
SECOND = "def put(self):\n    self.a = 1\n    with self._lock:\n        self.b = 2\n"
BOTH = "def put(self):\n    with self._lock:\n        self.a = 1\n        self.b = 2\n"
OTHER = BOTH.replace("_lock", "_other_lock")
BY_HAND = "def put(self):\n    self._lock.acquire()\n    self.a = 1\n    self._lock.release()\n    self.b = 2\n"
DECORATED = "@synchronized\n" + UNLOCKED


@pytest.mark.parametrize(("old", "new", "deed"), [
    (BOTH, UNLOCKED, "removed"), (UNLOCKED, BOTH, "added"), (BOTH, FIRST, "narrowed"), (FIRST, BOTH, "widened"),
    (FIRST, SECOND, "moved"), (BOTH, OTHER, "replaced"), (BY_HAND, UNLOCKED, "removed"), (BY_HAND, BOTH, "widened"),
    (DECORATED, UNLOCKED, "removed"), (UNLOCKED, UNLOCKED.replace("1", "3"), None),
    (BOTH, BOTH.replace("2", "3"), None),
])  # fmt: skip
def test_deeds(old, new, deed):
    assert compare_locks(function(old), function(new)) == deed


def test_words():
    assert str(LockChange("removed", ("put",))) == "the lock removed from `put`"
    assert str(LockChange("widened", ("a", "b", "c", "d"))) == "the lock widened in `a`, `b` and 2 others"
