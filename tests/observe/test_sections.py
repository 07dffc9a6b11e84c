"""Whether two calls can come between each other, by hand-made conducts."""

from plait.observe.sections import Conduct, Held, may_interleave
from plait.run.operations import KEY_READ, KEY_WRITE, READ, WRITE

FREE = frozenset()


def conduct(*accesses, nested=()):
    return Conduct(frozenset(Held(*each) for each in accesses), frozenset(nested))


def within(number, lock="x._lock"):
    return frozenset({(lock, number)})


def test_what_only_one_of_them_touches_or_nobody_writes():
    assert not may_interleave(conduct(("x.a", "", WRITE, FREE)), conduct(("x.b", "", WRITE, FREE)))
    assert not may_interleave(conduct(("x.a", "", READ, FREE)), conduct(("x.a", "", READ, FREE)))
    assert may_interleave(conduct(("x.a", "", WRITE, FREE)), conduct(("x.a", "", READ, FREE)))


def test_keys_of_one_container():
    written = conduct(("x.d[]", "'a'", KEY_WRITE, FREE))
    assert may_interleave(written, conduct(("x.d[]", "'a'", KEY_READ, FREE)))
    assert not may_interleave(written, conduct(("x.d[]", "'b'", KEY_READ, FREE)))
    assert may_interleave(written, conduct(("x.d[]", "", READ, FREE)))


def test_one_section_each_under_a_common_lock_keeps_them_apart():
    change = conduct(("x.a", "", READ, within(1)), ("x.a", "", WRITE, within(1)))
    assert not may_interleave(change, change)
    assert may_interleave(change, conduct(("x.a", "", READ, FREE)))
    assert may_interleave(change, conduct(("x.a", "", WRITE, within(1, "x._other"))))


def test_a_lock_given_back_in_between_lets_others_in():
    check_then_act = conduct(("x.a", "", READ, within(1)), ("x.a", "", WRITE, within(2)))
    change = conduct(("x.a", "", WRITE, within(1)))
    assert may_interleave(check_then_act, change)
    assert may_interleave(change, check_then_act)
    assert not may_interleave(check_then_act, conduct(("x.b", "", WRITE, within(1))))


def test_only_what_both_touch_has_to_lie_in_one_section():
    first = conduct(("x.a", "", WRITE, within(1)), ("x.mine", "", WRITE, FREE))
    assert not may_interleave(first, conduct(("x.a", "", READ, within(3))))


def test_locks_taken_in_opposite_orders():
    one, other = conduct(nested=[("x._lock", "y._lock")]), conduct(nested=[("y._lock", "x._lock")])
    assert may_interleave(one, other)
    assert not may_interleave(one, one)
