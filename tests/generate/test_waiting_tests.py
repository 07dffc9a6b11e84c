"""Tests that make calls wait: the states are found by trying calls alone."""

from random import Random

from plait.generate.catalogue import build_catalogue
from plait.generate.condiff import Stage, Suffix
from plait.generate.sequence import Sequences
from plait.generate.waiting import WaitingTests
from plait.judge.oracle.sequential import SequentialRunner
from plait.model.test import Call
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World
from plait.subject.interface.discovery import discover

SOURCE = """
import threading

class Store:
    def __init__(self, room: int = 2):
        self._room = room
        self._items = []
        self._condition = threading.Condition()

    def put(self, item):
        with self._condition:
            while len(self._items) >= self._room:
                self._condition.wait()
            self._items.append(item)
            self._condition.notify_all()

    def take(self, timeout=None):
        with self._condition:
            while not self._items:
                if not self._condition.wait(timeout):
                    raise TimeoutError
            self._condition.notify_all()
            return self._items.pop()

class Owned:
    def __init__(self):
        self._owner = None
        self._depth = 0
        self._condition = threading.Condition()

    def hold(self):
        me = threading.get_ident()
        with self._condition:
            while self._owner not in (None, me):
                self._condition.wait()
            self._owner = me
            self._depth += 1

    def let_go(self):
        with self._condition:
            if self._owner != threading.get_ident():
                raise RuntimeError("somebody else's")
            self._depth -= 1
            if not self._depth:
                self._owner = None
                self._condition.notify()

class Pool:
    def __init__(self, size=1):
        self._condition = threading.Condition()
        self._idle = [object() for _ in range(max(size, 1))]
        self._out = []

    def acquire(self, timeout=1.0):
        with self._condition:
            if not self._condition.wait_for(lambda: self._idle, timeout):
                raise TimeoutError
            self._out.append(self._idle.pop())
            return self._out[-1]

    def release(self, item):
        with self._condition:
            self._out.remove(item)
            self._idle.append(item)
            self._condition.notify()

class Plain:
    def __init__(self):
        self.value = 0

    def add(self, timeout=None):
        self.value += 1

    def numbers(self):
        while True:
            self.value += 1
"""


def made(tmp_path, name, seed=0, take=None):
    """Tests as `plait check` asks for them, or those that ``take`` gets from them."""
    world = World(PLACES, cache=tmp_path / "code")
    before = ENGINE.modules
    with world.entered():
        module = world.importer.load_source(f"waiting_{name.lower()}", SOURCE)
        world.snapshot()
        owner = getattr(module, name)
        catalogue = build_catalogue(owner, discover(owner, name=f"waiting_{name.lower()}:{name}"))
        sequences = Sequences(catalogue, SequentialRunner(), Random(seed))
        waiting = WaitingTests(sequences, Random(seed))
        tests = take(waiting) if take else [test for _ in range(60) if (test := waiting.next_test()) is not None]
    ENGINE.modules = before
    return sequences, tests


def test_calls_wait_for_what_is_empty_and_for_what_is_full(tmp_path):
    _sequences, tests = made(tmp_path, "Store")
    empty = [test for test in tests if not any(call.method == "put" for call in test.prefix)]
    full = [test for test in tests if any(call.method == "put" for call in test.prefix)]
    assert any(test.suffixes[0][0].method == "take" for test in empty)
    assert any(test.suffixes[0][0].method == "put" for test in full)
    assert {len(test.suffixes) for test in tests} == {2, 3}
    assert any(len(suffix) == 2 for test in tests for suffix in test.suffixes)  # one that wakes and steals


def test_what_was_taken_is_given_back_to_whoever_waits(tmp_path):
    _sequences, tests = made(tmp_path, "Pool")
    woken = [test for test in tests if [call.method for call in test.calls] == ["acquire", "release"]]
    assert woken
    for test in woken:
        (given,) = test.suffixes[1][0].args
        assert given in {call.result for call in test.prefix}
    assert any(("timeout", "None") in call.kwargs for test in tests for call in test.calls)  # waits for ever


def test_a_comparison_takes_those_that_concern_it_the_simplest_first(tmp_path):
    def concerns(test):
        return any(call.method == "put" for call in test.calls)

    _sequences, tests = made(tmp_path, "Store", take=lambda waiting: [*waiting.take(8, concerns), None,
                                                                      *waiting.take(60, concerns)])  # fmt: skip
    first, later = tests[:8], tests[9:]
    assert tests[8] is None
    assert all(map(concerns, [*first, *later]))
    assert len({repr(test) for test in tests}) == len(tests)
    assert any([len(suffix) for suffix in test.suffixes] == [1, 1] for test in first)
    threads = [[call.expression for suffix in test.suffixes for call in suffix] for test in later]
    assert any(len(set(puts)) == 2 for calls in threads if len(puts := [each for each in calls if "put" in each]) == 2)
    assert made(tmp_path, "Plain", take=lambda waiting: waiting.take(8, concerns))[1] == []


def test_a_class_that_does_not_wait_gets_none(tmp_path, monkeypatch):
    monkeypatch.setattr(SequentialRunner, "endless", {})
    sequences, tests = made(tmp_path, "Plain")
    assert tests == []
    assert "numbers" in SequentialRunner.endless
    sequences.compose(0, [[sequences.catalogue.method("numbers")]])
    assert sequences.knowledge.of("numbers").uncallable


def test_a_comparison_gets_a_third_thread_where_a_method_waits():
    calls = [Suffix(Call(name, f"{{receiver}}.{name}()", "x")) for name in ("put", "take")]
    stage = Stage(1, (), (Call("Store", "Store()", result="x"),), tuple(calls), frozenset({"take"}))
    assert list(stage.combinations([("put", "take")], Random(0))) == [(0, 1), (0, 1, 1)]
    plain = Stage(1, (), stage.prefix, tuple(calls))
    assert list(plain.combinations([("put", "take")], Random(0))) == [(0, 1)]


KEYED = """
import threading

class Desk:
    def __init__(self):
        self._taken = {}
        self._condition = threading.Condition()

    def borrow(self, name: str, owner: str):
        with self._condition:
            while name in self._taken:
                self._condition.wait()
            self._taken[name] = owner

    def give_back(self, name: str, owner: str):
        with self._condition:
            if self._taken.get(name) != owner:
                return False
            del self._taken[name]
            self._condition.notify()
            return True
"""


def test_two_calls_wait_for_different_things(tmp_path, monkeypatch):
    """Whoever is woken may wait for something else: one of many is then the wrong one to wake."""
    monkeypatch.setitem(globals(), "SOURCE", KEYED)
    _sequences, tests = made(tmp_path, "Desk", take=lambda waiting: waiting.take(30, lambda _test: True))
    apart = [
        test for test in tests
        if [len(suffix) for suffix in test.suffixes] == [1, 1, 1]
        and [suffix[0].method for suffix in test.suffixes] == ["borrow", "borrow", "give_back"]
        and test.suffixes[0][0].args[0] != test.suffixes[1][0].args[0]
    ]  # fmt: skip
    held = [{call.args for call in test.prefix if call.method == "borrow"} for test in apart]
    assert any(
        {test.suffixes[0][0].args[0], test.suffixes[1][0].args[0]} <= {name for name, _owner in taken}
        and test.suffixes[2][0].args in taken  # given back in the name in which it was taken
        for test, taken in zip(apart, held, strict=True)
    )


def test_what_a_thread_has_taken_it_gives_back(tmp_path):
    _sequences, tests = made(tmp_path, "Owned")
    patterns = {tuple(tuple(call.method for call in suffix) for suffix in test.suffixes) for test in tests}
    assert (("hold", "let_go"), ("hold", "let_go")) in patterns


CROWDED = """
import threading

class Tray:
    def __init__(self):
        self._items = []
        self._closed = False
        self._condition = threading.Condition()

    def put(self, item: int):
        with self._condition:
            self._items.append(item)
            self._condition.notify()

    def take(self):
        with self._condition:
            while self._closed or not self._items:
                self._condition.wait()
            return self._items.pop()

    def shut(self):
        with self._condition:
            self._closed = True

    def open(self):
        with self._condition:
            self._closed = False
            self._condition.notify()
"""


def test_one_call_lets_two_others_go_on(tmp_path, monkeypatch):
    """The state takes two kinds of calls: two items are there, and nobody may take them."""
    monkeypatch.setitem(globals(), "SOURCE", CROWDED)
    _sequences, tests = made(tmp_path, "Tray", take=lambda waiting: waiting.take(40, lambda _test: True))
    assert any(
        [call.method for call in test.prefix] == ["Tray", "put", "put", "shut"]
        and sorted(call.method for call in test.calls) == ["open", "take", "take"]
        and len(test.suffixes) == 3
        for test in tests
    )


TAKEN_AWAY = """
import threading

class Cup:
    def __init__(self):
        self._condition = threading.Condition()
        self._full = False

    def fill(self):
        with self._condition:
            self._full = True
            self._condition.notify_all()

    def empty(self):
        with self._condition:
            self._full = False

    def look(self):
        with self._condition:
            while not self._full:
                self._condition.wait()
            return self._full
"""


def test_another_method_takes_away_what_a_call_was_woken_for(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "SOURCE", TAKEN_AWAY)
    _sequences, tests = made(tmp_path, "Cup", take=lambda waiting: waiting.take(40, lambda _test: True))
    found = [[[call.method for call in suffix] for suffix in test.suffixes] for test in tests]
    assert [["look"], ["fill", "empty"]] in found
    assert [["look"], ["fill"], ["empty"]] in found
