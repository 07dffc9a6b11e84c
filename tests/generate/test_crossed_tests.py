"""Calls that take two things, in both orders, once both things are there."""

from random import Random

import pytest

from plait.generate.catalogue import build_catalogue
from plait.generate.crossing import CrossedTests
from plait.generate.sequence import Sequences
from plait.judge.oracle.sequential import SequentialRunner
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World
from plait.subject.interface.discovery import discover

SOURCE = """
class Bank:
    def __init__(self):
        self._accounts = {}

    def open(self, name: str, balance: int = 0) -> None:
        self._accounts[name] = balance

    def balance(self, name: str) -> int:
        return self._accounts.get(name, 0)

    def transfer(self, source: str, target: str, amount: int) -> bool:
        if source not in self._accounts or target not in self._accounts or self._accounts[source] < amount:
            return False
        self._accounts[source] -= amount
        self._accounts[target] += amount
        return True


class Purse:
    def __init__(self):
        self.coins = 0

    def put(self, coins: int) -> None:
        self.coins += coins

    def pour(self, other: "Purse", coins: int = 1) -> None:
        if self.coins < coins:
            raise ValueError("not enough")
        self.coins -= coins
        other.coins += coins

    def __add__(self, other: "Purse") -> int:
        return self.coins + other.coins


class Counter:
    def __init__(self):
        self.count = 0

    def add(self, amount: int, *, often: int = 1) -> None:
        self.count += amount * often
"""


def made(tmp_path, name):
    world = World(PLACES, cache=tmp_path / "code")
    before = ENGINE.modules
    with world.entered():
        module = world.importer.load_source(f"crossing_{name.lower()}", SOURCE)
        world.snapshot()
        owner = getattr(module, name)
        catalogue = build_catalogue(owner, discover(owner, name=f"crossing_{name.lower()}:{name}"))
        crossed = CrossedTests(Sequences(catalogue, SequentialRunner(), Random(0)), Random(0))
        tests = crossed.take(10, lambda _test: True)
        later = [crossed.next_test() for _ in range(20)]
    ENGINE.modules = before
    return tests, later


def test_both_things_are_made_first_and_the_calls_cross(tmp_path):
    tests, later = made(tmp_path, "Bank")
    assert 1 <= len(tests) <= 3
    for test in tests:
        one, other = (suffix[0] for suffix in test.suffixes)
        assert one.method == other.method == "transfer"
        assert one.args[:2] == other.args[1::-1]
        assert one.args[0] != one.args[1]
        assert [call.args[0] for call in test.prefix[1:]] == list(one.args[:2])
        assert {call.method for call in test.prefix[1:]} == {"open"}
        assert int(dict(test.prefix[1].kwargs)["balance"]) >= int(one.args[2])
    assert later == [None] * 20  # each test once


def test_two_objects_are_given_to_each_other(tmp_path):
    tests, _later = made(tmp_path, "Purse")
    lines = [
        [[call.source.partition(", ")[0].rstrip(")") for call in suffix] for suffix in test.suffixes] for test in tests
    ]
    assert [["x.pour(other"], ["other.pour(x"]] in lines
    assert [["x.pour(other"], ["x + other"]] in lines
    assert any(one == ["x.pour(other"] and two[0].startswith("other.put(") for one, two in lines)
    rich = [test for test in tests if test.suffixes[0][0].method == "pour"]
    assert all({"put"} == {call.method for call in test.prefix[2:]} for test in rich)  # there is something to pour


@pytest.mark.parametrize("name", ["Counter"])
def test_a_class_without_such_calls_gets_none(tmp_path, name):
    assert made(tmp_path, name) == ([], [None] * 20)
