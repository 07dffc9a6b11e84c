"""The minimum: no thread, call or argument can go, and no schedule with fewer preemptions shows the violation."""

import pytest

from plait.judge.minimise import Minimiser, fewest_preemptions, smaller
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
    from plait.judge.examine import examine  # noqa: PLC0415 - after the world is there

    def same(violation):
        return violation.exception == "KeyError"

    examined = examine(examination, wanted=same)
    assert examined.violation is not None
    minimiser = Minimiser(PLACES, (), same)
    return minimiser.minimise(examination.bed.test, examined.violation, examined.schedule), same


def test_nothing_can_be_left_out(minimal, judged):
    from plait.judge.examine import examine  # noqa: PLC0415
    from plait.judge.safety import Examination  # noqa: PLC0415

    found, same = minimal
    assert found.complete
    assert [len(suffix) for suffix in found.test.suffixes] == [1, 1]
    assert found.preemptions == 1
    for candidate in smaller(found.test):
        examined = examine(Examination(candidate, PLACES), systematic=400, sampled=20, wanted=same)
        assert examined.violation is None, candidate.as_lines()
    assert fewest_preemptions(Examination(found.test, PLACES), same, found.preemptions - 1) is None
