"""What runs of single calls tell about pairs of methods."""

import pickle

import pytest

from plait.judge.oracle.meetings import SeenAlone

ACCOUNT = """
    import threading

    class Account:
        def __init__(self):
            self._lock = threading.RLock()
            self._other = threading.RLock()
            self.balance, self.name, self.log = 1, "", {}

        def deposit(self):
            with self._lock:
                self.balance += 1

        def peek(self):
            return self.balance

        def rename(self):
            self.name = "a"

        def move(self):
            with self._lock:
                old = self.balance
            with self._lock:
                self.balance = old + 1

        def again(self):
            with self._lock:
                self.deposit()
                self.deposit()

        def forth(self):
            with self._lock, self._other:
                pass

        def back(self):
            with self._other, self._lock:
                pass

        def note(self):
            self.log["a"] = 1

        def noted(self):
            return list(self.log)

        def wait(self):
            threading.Event().wait()
"""


@pytest.fixture
def seen(judged):
    alone = SeenAlone()
    for name in ("deposit", "peek", "rename", "move", "again", "forth", "back", "note", "noted", "wait"):
        alone.look(name, [judged.prepared(ACCOUNT, ["x = Account()"], [f"x.{name}()"]).bed.test])
    return alone


def test_which_methods_may_meet(seen):
    assert seen.may_meet("deposit", "peek")  # no lock
    assert not seen.may_meet("deposit", "deposit")
    assert not seen.may_meet("deposit", "rename")
    assert not seen.may_meet("peek", "peek")
    assert seen.may_meet("rename", "rename")
    assert seen.may_meet("move", "deposit")  # each access is locked, both together are not
    assert seen.may_meet("move", "move")
    assert not seen.may_meet("again", "deposit")  # the lock is taken again, not given back
    assert seen.may_meet("forth", "back")
    assert not seen.may_meet("forth", "forth")
    assert seen.may_meet("note", "noted")


def test_what_is_not_known_may_meet(seen):
    assert not seen.knows("other")
    assert seen.may_meet("other", "peek")
    assert seen.knows("wait")
    assert seen.may_meet("wait", "peek")


def test_every_call_counts(judged):
    alone = SeenAlone()
    source = """
        class Switch:
            def __init__(self, on):
                self.on, self.count = on, 0

            def go(self):
                if self.on:
                    self.count += 1
    """
    tests = [judged.prepared(source, [f"x = Switch({on})"], ["x.go()"]).bed.test for on in (False, True)]
    alone.look("go", tests[:1])
    assert not alone.may_meet("go", "go")
    alone.look("go", tests)
    assert alone.may_meet("go", "go")


def test_what_modules_hold(judged):
    source = """
        known, names = {}, []

        class Registry:
            def enter(self):
                known["a"] = 1

            def look(self):
                return len(known)

            def name(self):
                names.append("a")
    """
    alone = SeenAlone()
    for name in ("enter", "look", "name"):
        alone.look(name, [judged.prepared(source, ["x = Registry()"], [f"x.{name}()"]).bed.test])
    assert alone.may_meet("enter", "look")
    assert alone.may_meet("name", "name")
    assert not alone.may_meet("enter", "name")


def test_it_travels(seen):
    again = pickle.loads(pickle.dumps(seen))
    assert not again.may_meet("deposit", "rename")
    assert again.may_meet("move", "move")
