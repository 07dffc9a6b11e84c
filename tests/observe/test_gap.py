"""Which function is said to have been interrupted half-way."""

from types import SimpleNamespace

import pytest

from plait.observe.racing import RacingPair, gap
from plait.observe.recording import Frame
from plait.run.operations import KEY_INSERT, KEY_READ, READ, WRITE


def moment(thread, *calls):
    """An access of a thread; its calls, the outermost first, as ``name:line``."""
    parts = (call.split(":") for call in calls)
    stack = tuple(Frame("shop.py", name, int(line)) for name, line in parts)
    return SimpleNamespace(thread=thread, shown=thread, stack=stack, loc=1, root=1, mode=WRITE)


@pytest.mark.parametrize(("first", "last", "wanted"), [
    (["more:3"], ["more:4"], ("more", 3, 4)),
    (["more:3"], ["more:3"], ("more", 3, 3)),
    (["more:3", "get:8"], ["more:4", "put:9"], ("more", 3, 4)),
    (["more:3", "get:8"], ["more:4", "get:8"], ("more", 3, 4)),  # two calls of one helper
    (["more:3", "get:8"], ["more:3", "get:9"], ("get", 8, 9)),
    (["more:3", "get:8"], ["more:3", "put:9"], ("more", 3, 3)),
    (["more:3"], ["less:4"], None),  # one call was over, and the next had begun
    ([], ["more:3"], None),
])  # fmt: skip
def test_it_is_the_innermost_call_that_both_accesses_are_in(first, last, wanted):
    before, inside, after = moment(1, *first), moment(2, "more:4"), moment(1, *last)
    race = RacingPair(inside, after)
    found = gap([before, inside, after], [RacingPair(before, inside), race], race)
    assert (found and (found.function, found.line, found.end)) == wanted


def test_who_was_not_interrupted_has_no_gap():
    before, first, last, after = moment(1, "more:3"), moment(2, "less:7"), moment(2, "less:8"), moment(1, "more:4")
    before.mode = first.mode = READ  # a lost update: each reads before the other writes
    pairs = [RacingPair(before, last), RacingPair(first, after)]
    found = gap([before, first, last, after], pairs, pairs[1])
    assert (found.thread, found.function) == (1, "more")


def test_the_narrowest_gap_is_taken():
    moments = [moment(1, "more:2"), moment(1, "more:3"), moment(2, "less:7"), moment(1, "more:4"), moment(1, "more:5")]
    pairs = [RacingPair(moments[start], moments[2]) for start in (0, 1)]
    pairs += [RacingPair(moments[2], moments[end]) for end in (3, 4)]
    found = gap(moments, pairs, pairs[-1])
    assert (found.line, found.end) == (3, 4)


def test_what_is_raced_for_counts_more_than_what_is_nearer():
    """A look-up, a glance at the size, and another thread's insertion before ours: it is the look-up that was wrong."""
    before, size, inside, after = (
        moment(1, "more:3", "get:8"), moment(1, "more:4", "put:11"), moment(2, "more:4"), moment(1, "more:4", "put:12"),
    )  # fmt: skip
    size.loc, size.mode = 2, READ
    inside.mode = after.mode = KEY_INSERT
    before.mode = KEY_READ
    race = RacingPair(inside, after)
    found = gap([before, size, inside, after], [RacingPair(size, inside), race], race)
    assert (found.function, found.line, found.end) == ("more", 3, 4)
    before.loc = 3  # another key: then it is the size that matters, which is of the same table
    found = gap([before, size, inside, after], [RacingPair(size, inside), race], race)
    assert (found.function, found.line, found.end) == ("put", 11, 12)


def test_one_race_is_no_gap():
    before, after = moment(1, "more:3"), moment(2, "more:3")
    race = RacingPair(before, after)
    assert gap([before, after], [race], race) is None


def test_a_long_execution_takes_no_longer_than_its_end():
    moments = [moment(1 + number % 2, "more:3") for number in range(20_000)]
    for each in moments:
        each.mode = READ
    moments += [moment(1, "less:7"), moment(2, "less:7"), moment(1, "less:8")]
    race = RacingPair(moments[-2], moments[-1])
    found = gap(moments, [race], race)
    assert (found.function, found.line, found.end) == ("less", 7, 8)
