"""The minimum: no thread, call or argument can go, and no schedule with fewer preemptions shows the violation."""

from dataclasses import dataclass, replace

import pytest

from plait.judge.minimise.tests import Minimiser, descend, fewest_preemptions, smaller
from plait.model.entering import is_paired
from plait.model.test import Call, Test
from plait.observe.places import PLACES

SOURCE = """
    class Bag:
        def __init__(self, size=3):
            self._items = {}

        def put(self, key, value=None, note=None):
            self._items[key] = value

        def take(self, key, note=None):
            if key in self._items:
                return self._items.pop(key)
            return None

        def size(self):
            return len(self._items)
"""
PREFIX = ["x = Bag(size=7)", "x.put('b', 5)", "x.size()", "x.put('a', 17, note='long text')"]
SUFFIXES = (["x.size()", "x.take('a', note=1)", "x.put('b', 3)"], ["x.take('b')", "x.take('a')"], ["x.size()"])


@pytest.fixture
def minimal(judged):
    examination = judged.prepared(SOURCE, PREFIX, *SUFFIXES)
    from plait.judge.oracle.examine import examine  # noqa: PLC0415 - after the world is there

    def same(violation):
        return violation.exception == "KeyError"

    examined = examine(examination, wanted=same)
    assert examined.violation is not None
    minimiser = Minimiser(PLACES, (), same)
    return minimiser.minimise(examination.bed.test, examined.violation, examined.schedule), same


def test_nothing_can_be_left_out(minimal, judged):
    from plait.judge.oracle.examine import examine  # noqa: PLC0415
    from plait.judge.oracle.safety import Examination  # noqa: PLC0415

    found, same = minimal
    assert found.complete
    assert [len(suffix) for suffix in found.test.suffixes] == [1, 1]
    assert found.preemptions == 1
    for candidate in smaller(found.test):
        examined = examine(Examination(candidate, PLACES), systematic=400, sampled=20, wanted=same)
        assert examined.violation is None, candidate.as_lines()
    assert fewest_preemptions(Examination(found.test, PLACES), same, found.preemptions - 1) is None


@dataclass(frozen=True)
class Shown:
    test: Test


class Needs:
    """Shows something as long as these calls are left, in whatever order."""

    def __init__(self, *calls):
        self.calls = set(calls)
        self.tried = []

    def __call__(self, test, best):
        assert test in list(smaller(best.test))
        self.tried.append(test)
        lines = {call.source for call in (*test.prefix, *test.calls)}
        return Shown(test) if self.calls <= lines else None


LONG = Test.from_lines([], ["x = Bag()", *(f"x.put({number})" for number in range(6))], [["x.size()"], ["x.take(0)"]])


def test_steps_that_have_failed_are_tried_again_once_and_not_behind_every_one_that_helps():
    needed = Needs("x = Bag()", "x.put(4)", "x.size()", "x.take(0)")
    found = descend(Shown(LONG), needed, lambda: False)
    assert [call.source for call in found.test.prefix] == ["x = Bag()", "x.put(4)"]
    useless = [test for test in needed.tried if "x.put(4)" not in {call.source for call in test.prefix}]
    assert len(useless) == 2  # were it begun anew behind each of the five calls that went, there would be five
    assert all(needed(candidate, found) is None for candidate in smaller(found.test))


def test_it_is_over_when_all_steps_have_failed_since_one_helped():
    needed = Needs(*(call.source for call in (*LONG.prefix, *LONG.calls)))
    assert descend(Shown(LONG), needed, lambda: False).test == LONG
    assert needed.tried == list(smaller(LONG))  # each once


def test_it_ends_early_when_told_to():
    needed = Needs("x.size()", "x.take(0)")
    found = descend(Shown(LONG), needed, lambda: len(needed.tried) == 3)
    assert len(needed.tried) == 3
    assert len(found.test.prefix) == len(LONG.prefix) - 3


def test_whoever_leaves_an_object_has_still_entered_it():
    made = Call("Room", "Room()", result="x")
    enter, leave = (Call(f"__{name}__", f"{{receiver}}.__{name}__()") for name in ("enter", "exit"))
    look = Call("look", "{receiver}.look()")
    paired = Test((), (made, enter), ((leave, look), (enter, look)))
    assert all(is_paired(each) for each in smaller(paired))
    assert replace(paired, suffixes=((look,), (enter, look))) in list(smaller(paired))
    unpaired = replace(paired, prefix=(made,))
    assert any(not is_paired(each) for each in smaller(unpaired))
