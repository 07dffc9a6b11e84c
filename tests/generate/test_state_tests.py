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


class Constant:
    def value(self) -> int:
        return 1
"""


def planned(tmp_path, name, part=(0, 1), not_parallel=()):
    """The planned tests of a class, each with what its calls do one after another."""
    world = World(PLACES, cache=tmp_path / "code")
    before = ENGINE.modules
    with world.entered():
        module = world.importer.load_source("states_subject", SOURCE)
        world.snapshot()
        owner = getattr(module, name)
        catalogue = build_catalogue(owner, discover(owner, name=f"states_subject:{name}"))
        catalogue.not_parallel = frozenset(not_parallel)
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


def test_calls_get_the_same_things_and_others(tmp_path):
    tests = [test for test, _outcomes in planned(tmp_path, "Pairs")]
    args = {call.args for test in tests for call in test.calls if call.method == "join"}
    assert {(first, second) for first, second in args if first != second} == {("'a'", "'b'"), ("'b'", "'a'")}


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
