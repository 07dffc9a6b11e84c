"""Tests with calls that raise: the arguments are found by trying calls alone."""

from random import Random

from plait.generate.callables import BreakingDict, BreakingList
from plait.generate.catalogue import build_catalogue
from plait.generate.raising import RaisingTests
from plait.generate.sequence import Sequences
from plait.judge.oracle.sequential import SequentialRunner
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.world import World
from plait.subject.interface.discovery import discover

SOURCE = """
class Store:
    def __init__(self):
        self._items = {}

    def log(self, key: int):
        if key < 0:
            raise KeyError(key)

    def put_all(self, items: dict[str, list[int]]):
        for key, value in items.items():
            self._items[key] = value

    def look(self, key):
        return self._items.get(key)

    def name(self, text: str):
        return text

class Calm:
    def note(self, text: str):
        return text
"""


class Limited:
    """Its source can be read, unlike that of the classes above."""

    def __init__(self):
        self.level = 0

    def fill(self, amount: int):
        if amount > 100:
            raise ValueError(amount)
        self.level += amount


def made(tmp_path, name, take):
    world = World(PLACES, cache=tmp_path / "code")
    before = ENGINE.modules
    with world.entered():
        module = world.importer.load_source(f"raising_{name.lower()}", SOURCE)
        world.snapshot()
        owner = getattr(module, name)
        catalogue = build_catalogue(owner, discover(owner, name=f"raising_{name.lower()}:{name}"))
        tests = take(RaisingTests(Sequences(catalogue, SequentialRunner(), Random(0)), Random(0)))
    ENGINE.modules = before
    return tests


def test_arguments_that_annotations_allow_make_calls_raise(tmp_path):
    tests = made(tmp_path, "Store", lambda raising: raising.take(100, lambda _test: True))
    first = {test.suffixes[0][0].expression for test in tests}
    assert first == {"x.log(-1)", "x.put_all(BreakingDict({'a': [1], 'b': [2]}))", "x.look([])"}
    assert {tuple(map(len, test.suffixes)) for test in tests} == {(1, 1), (2, 2)}
    assert len({repr(test) for test in tests}) == len(tests)


def test_a_number_beyond_the_limit_makes_a_call_raise():
    catalogue = build_catalogue(Limited, discover(Limited, name=f"{__name__}:Limited"))
    raising = RaisingTests(Sequences(catalogue, SequentialRunner(), Random(0)), Random(0))
    tests = raising.take(100, lambda _test: True)
    assert {test.suffixes[0][0].expression for test in tests} == {"x.fill(101)"}


def test_such_tests_are_few_and_a_comparison_takes_those_that_concern_it(tmp_path):
    asked = made(tmp_path, "Store", lambda raising: [raising.next_test() for _ in range(30)])
    assert [number for number, test in enumerate(asked, 1) if test is not None] == [6, 16, 26]

    def concerns(test):
        return any(call.method == "log" for call in test.calls)

    taken = made(tmp_path, "Store", lambda raising: [*raising.take(2, concerns), *raising.take(2, concerns)])
    assert all(map(concerns, taken))
    assert len({repr(test) for test in taken}) == len(taken) > 2


def test_a_class_whose_calls_do_not_raise_gets_none(tmp_path):
    assert made(tmp_path, "Calm", lambda raising: raising.take(9, lambda _test: True)) == []


def test_what_breaks_does_so_behind_its_first_element():
    read = []
    for broken in (BreakingList("ab"), BreakingDict(a=1, b=2), BreakingDict(a=1).keys(), BreakingDict(a=1).values()):
        try:
            read += list(broken)
        except ValueError:
            read.append("broken")
    assert read == ["broken"] * 4
