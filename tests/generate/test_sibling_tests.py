"""Two objects of a class, each in a thread of its own, for what all objects share."""

from random import Random

import pytest

from plait.generate.catalogue import build_catalogue
from plait.generate.draft import ARGUMENT
from plait.generate.sequence import Sequences
from plait.generate.siblings import SiblingTests
from plait.judge.oracle.examine import examine
from plait.judge.oracle.safety import Examination
from plait.judge.oracle.sequential import SequentialRunner
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World
from plait.subject.interface.discovery import discover

SOURCE = """
import threading


class Table:
    _rows = {}

    def __init__(self):
        self._lock = threading.Lock()

    def add(self, name: str) -> bool:
        with self._lock:
            if name in self._rows:
                return False
            self._rows[name] = 1
            return True

    def has(self, name: str) -> bool:
        return name in self._rows


class Guarded(Table):
    _shared = threading.Lock()

    def __init__(self):
        self._lock = self._shared


class View:
    def __init__(self, rows: Table):
        self._rows = rows

    def add(self, name: str) -> bool:
        return self._rows.add(name)


class Apart:
    def __init__(self):
        self.count = 0

    def step(self) -> int:
        self.count += 1
        return self.count
"""


@pytest.fixture
def planned(tmp_path):
    """Returns the planned tests of a class, and a function that examines one of them."""
    world = World(PLACES, cache=tmp_path / "code")
    before = ENGINE.modules
    with world.entered():
        module = world.importer.load_source("siblings", SOURCE)
        world.snapshot()

        def made(name):
            owner = getattr(module, name)
            catalogue = build_catalogue(owner, discover(owner, name=f"siblings:{name}"))
            return SiblingTests(Sequences(catalogue, SequentialRunner(), Random(0)), Random(0))

        yield made
    ENGINE.modules = before


def examined(test):
    return examine(Examination(test, PLACES))


def test_tests_of_two_methods_follow_a_scout_with_conflicts(planned):
    tests = planned("Table")
    handed = [test for _ in range(60) if (test := tests.next_test()) is not None]
    assert len(handed) == 1
    assert {call.receiver for call in handed[0].suffixes[0]} == {"x"}
    assert {call.receiver for call in handed[0].suffixes[1]} == {"sibling"}
    assert examined(handed[0]).conflicts
    tests.conflicted(handed[0])
    handed = [test for _ in range(60) if (test := tests.next_test()) is not None]
    assert [len(test.calls) for test in handed] == [2] * len(handed)
    assert any(examined(test).violation is not None for test in handed)


def test_a_scout_without_conflicts_is_the_only_test(planned):
    tests = planned("Apart")
    handed = [test for _ in range(60) if (test := tests.next_test()) is not None]
    assert len(handed) == 1
    found = examined(handed[0])
    assert (found.conflicts, found.executions) == (False, 1)


def test_a_common_lock_protects_what_is_common(planned):
    tests = planned("Guarded")
    found = [examined(test) for test in tests.take(100, lambda _test: True)]
    assert any(each.conflicts for each in found)
    assert all(each.violation is None for each in found)


def test_the_objects_share_no_argument(planned):
    tests = planned("View").take(100, lambda _test: True)
    assert tests
    for test in tests:
        one, other = test.prefix[:2]
        assert one.expression == other.expression == "View(Table())"  # each has a table of its own
        assert not any(call.method == ARGUMENT for call in test.prefix)
