"""Calls are tested in the states in which they change something, which may take several calls to reach."""

from random import Random

from plait.generate.catalogue import build_catalogue
from plait.generate.sequence import Sequences
from plait.generate.states import StateTests
from plait.judge.oracle.sequential import SequentialRunner
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World
from plait.subject.interface.discovery import discover

SOURCE = """
import time

class Text:
    def __init__(self):
        self._done = [""]
        self._undone = []

    def write(self, text: str) -> None:
        self._done.append(text)
        self._undone.clear()

    def undo(self) -> bool:
        if len(self._done) == 1:
            return False
        self._undone.append(self._done.pop())
        return True

    def redo(self) -> bool:
        if not self._undone:
            return False
        self._done.append(self._undone.pop())
        return True

    def lengths(self):
        return len(self._done), len(self._undone)


class Pairs:
    def __init__(self):
        self._pairs = {}

    def join(self, first: str, second: str) -> None:
        if first != second:
            self._pairs[first] = second

    def __len__(self) -> int:
        return len(self._pairs)


class Sessions:
    def __init__(self):
        self._users = {}
        self._logins = 0

    def login(self, user: str) -> str:
        self._logins += 1
        token = f"{user}/{self._logins}"
        self._users[token] = (user, time.monotonic() + 60)
        return token

    def user(self, token: str):
        user, end = self._users.get(token, (None, 0.0))
        if user is not None and time.monotonic() >= end:
            del self._users[token]
            return None
        return user

    def logout(self, token: str) -> bool:
        return self._users.pop(token, None) is not None


class Slots:
    def __init__(self):
        self._free = [object(), object()]
        self._taken = []

    def take(self):
        self._taken.append(self._free.pop())
        return self._taken[-1]

    def give(self, slot) -> None:
        self._taken.remove(slot)
        self._free.append(slot)


class Gate:
    def __init__(self):
        self._entered = self._refused = 0

    def enter(self) -> bool:
        if self._entered == 2:
            self._refused += 1
            return False
        self._entered += 1
        return True

    def reset(self) -> None:
        self._entered = self._refused = 0

    def counts(self):
        return self._entered, self._refused


class Permits:
    def __init__(self, most: int = 1):
        self._free = most
        self._taken = 0

    def take(self) -> bool:
        if not self._free:
            return False
        self._free -= 1
        self._taken += 1
        return True

    def taken(self) -> int:
        return self._taken


class Book:
    def __init__(self):
        self.pages = 0
        self.readers = 0


class Shelf:
    def __init__(self):
        self._books = {}

    def _book(self, name):
        return self._books.setdefault(name, Book())

    def write(self, name: str, pages: int) -> None:
        self._book(name).pages += pages

    def open(self, name: str) -> bool:
        book = self._book(name)
        book.readers += book.pages > 0
        return book.pages > 0

    def close(self, name: str) -> bool:
        book = self._book(name)
        if not book.readers:
            return False
        book.readers -= 1
        return True

    def pages(self, name: str) -> int:
        return self._book(name).pages


class Cell:
    def __init__(self):
        self._value = 1

    def exchange(self, expected: int, value: int) -> bool:
        if self._value != expected:
            return False
        self._value = value
        return True


class Door:
    def __init__(self):
        self._inside = []
        self._closed = False

    def enter(self, name: str) -> None:
        if self._closed:
            raise RuntimeError("closed")
        self._inside.append(name)

    def close(self) -> None:
        self._closed = True

    def __len__(self) -> int:
        return len(self._inside)


class Constant:
    def value(self) -> int:
        return 1
"""


def planned(tmp_path, name, part=(0, 1), not_parallel=(), timed=False):
    """The planned tests of a class, each with what its calls do one after another."""
    world = World(PLACES, cache=tmp_path / "code")
    before = ENGINE.modules
    with world.entered():
        module = world.importer.load_source("states_subject", SOURCE)
        world.snapshot()
        owner = getattr(module, name)
        catalogue = build_catalogue(owner, discover(owner, name=f"states_subject:{name}"))
        catalogue.not_parallel = frozenset(not_parallel)
        catalogue.timed = timed
        run = SequentialRunner()
        source = StateTests(Sequences(catalogue, run, Random(0)), Random(0), part=part)
        found = [(test, run(test)) for test in source.take(200, lambda _test: True)]
    ENGINE.modules = before
    return found


def methods_of(test):
    return [[call.method for call in thread] for thread in test.suffixes]


def test_a_method_is_called_where_it_has_something_to_do(tmp_path):
    found = planned(tmp_path, "Text")
    assert all(outcome.status == "ok" for _test, outcomes in found for outcome in outcomes)
    redone = [test for test, _outcomes in found if methods_of(test) == [["redo"], ["redo"]]]
    assert redone
    for test in redone:
        reached = [call.method for call in test.prefix]
        assert reached.index("write") < reached.index("undo")


def test_a_look_meets_two_changes_and_two_looks_meet_a_change(tmp_path):
    found = [methods_of(test) for test, _outcomes in planned(tmp_path, "Text")]
    assert [["lengths"], ["write", "undo"]] in found
    assert [["lengths"], ["undo", "redo"]] in found
    assert [["write"], ["lengths", "lengths"]] not in found  # two equal looks show no more than one
    pairs = [methods_of(test) for test, _outcomes in planned(tmp_path, "Pairs")]
    assert [["__len__"], ["join", "join"]] in pairs
    assert [["__len__"], ["join"]] in pairs


def test_what_is_refused_behind_a_call_meets_it_and_a_look(tmp_path):
    found = [methods_of(test) for test, _outcomes in planned(tmp_path, "Door")]
    assert [["enter"], ["close", "__len__"]] in found
    assert [["close"], ["enter", "__len__"]] not in found  # who enters does not forbid to close


def test_calls_get_the_same_things_and_others(tmp_path):
    tests = [test for test, _outcomes in planned(tmp_path, "Pairs")]
    args = {call.args for test in tests for call in test.calls if call.method == "join"}
    assert {(first, second) for first, second in args if first != second} == {("'a'", "'b'"), ("'b'", "'a'")}


def test_what_a_call_hands_out_is_given_to_others(tmp_path):
    found = planned(tmp_path, "Sessions")
    assert all(outcome.status == "ok" for _test, outcomes in found for outcome in outcomes)
    for one, other in (("logout", "logout"), ("logout", "user")):
        same = [test for test, _outcomes in found if methods_of(test) == [[one], [other]]]
        tokens = {(test.suffixes[0][0].args, test.suffixes[1][0].args) for test in same}
        assert (("r1",), ("r1",)) in tokens
    chained = [test for test, _outcomes in found if methods_of(test)[1:] == [["login", "logout"]]]
    assert any(test.suffixes[1][0].result == test.suffixes[1][1].args[0] for test in chained)


def test_results_that_no_call_is_given_are_not_bound(tmp_path):
    found = [*planned(tmp_path, "Sessions"), *planned(tmp_path, "Slots")]
    assert any(methods_of(test) == [["give"], ["take"]] for test, _outcomes in found)
    for test, _outcomes in found:
        given = {text for call in (*test.prefix, *test.calls) for text in call.args}
        assert {call.result for call in test.prefix[1:]} - {None} <= given
        for thread in test.suffixes:
            bound = {call.result for call in thread} - {None}
            assert bound <= {text for call in thread[1:] for text in call.args}


def test_one_state_is_that_which_one_call_has_filled(tmp_path):
    found = [test for test, _outcomes in planned(tmp_path, "Gate") if methods_of(test) == [["counts"], ["reset"]]]
    assert ["enter"] * 3 in [[call.method for call in test.prefix[1:]] for test in found]


def test_one_object_has_two_of_what_its_constructor_counts(tmp_path):
    found = [test for test, _outcomes in planned(tmp_path, "Permits") if methods_of(test) == [["take"], ["take"]]]
    assert "Permits(most=2)" in {test.prefix[0].expression for test in found}


def test_numbers_of_one_call_are_different_too(tmp_path):
    pairs = [test.suffixes for test, _outcomes in planned(tmp_path, "Cell") if len(test.calls) == 2]
    assert any(one == other and one[0].args[0] != one[0].args[1] for one, other in pairs)


def test_time_passes_where_the_subject_reads_a_clock(tmp_path):
    found = [test for test, _outcomes in planned(tmp_path, "Sessions", timed=True)]
    late = [test for test in found if any("sleep" in call.form for call in test.prefix)]
    assert any(methods_of(test) == [["user"], ["user"]] and test.suffixes[0] == test.suffixes[1] for test in late)
    assert all(call.method != "pause" for test in late for call in test.calls)
    found = [test for test, _outcomes in planned(tmp_path, "Sessions")]
    assert not any("sleep" in call.form for test in found for call in test.prefix)


def test_parts_of_a_campaign_share_the_tests_out(tmp_path):
    whole = [test for test, _outcomes in planned(tmp_path, "Pairs")]
    parts = [[test for test, _outcomes in planned(tmp_path, "Pairs", part=(number, 3))] for number in range(3)]
    assert sorted(map(repr, whole)) == sorted(repr(test) for part in parts for test in part)
    assert all(parts)


def test_what_must_not_run_together_does_not(tmp_path):
    found = planned(tmp_path, "Text", not_parallel=[("redo", "redo"), ("redo", "undo")])
    apart = {frozenset({"redo"}), frozenset({"redo", "undo"})}
    assert found
    for test, _outcomes in found:
        one, other = test.suffixes
        assert not apart & {frozenset((first.method, second.method)) for first in one for second in other}


def test_a_class_without_state_has_no_such_tests(tmp_path):
    assert planned(tmp_path, "Constant") == []


def test_calls_that_only_make_an_entry_do_not_crowd_out_what_a_call_is_for(tmp_path):
    """`close`, `open` and `pages` of a book that is not there make an empty one: that is no change of their own."""
    tests = [test for test, _outcomes in planned(tmp_path, "Shelf") if methods_of(test) == [["close"], ["pages"]]]
    of_one = [test for test in tests if test.suffixes[0][0].args == test.suffixes[1][0].args]
    assert [call.method for call in of_one[0].prefix[1:]] == ["write", "open"]
    assert {call.args[0] for call in of_one[0].prefix[1:]} == set(of_one[0].suffixes[0][0].args)
