"""Which calls of an execution were under way together."""

from types import SimpleNamespace

from plait.model.test import Test
from plait.observe.overlap import overlaps
from plait.run.testbed import Done


def seen(trace, *calls, able=None):
    """Overlaps of an execution: ``trace`` names the thread of each access, a call is (thread, start, end).

    ``able`` has the threads that could have performed each step.
    """
    lines = [["x.one()"], ["x.two()"]]
    bed = SimpleNamespace(
        test=Test.from_lines([], ["x = X()"], lines),
        done=[Done(thread, 0, start, end, thread) for thread, start, end in calls],
    )
    steps = zip(trace, able or [None] * len(trace), strict=True)
    engine = SimpleNamespace(trace=[(thread, 7, 0, 0, enabled, None) for thread, enabled in steps])
    return set(overlaps(engine, bed, ()))


def test_calls_with_several_steps_meet_between_them():
    assert seen([1, 2, 2, 1], (1, 0, 4), (2, 1, 3)) == {("one", "two")}
    assert seen([1, 1, 2, 2], (1, 0, 2), (2, 0, 4)) == set()


def test_calls_with_one_step_meet_if_both_stood_before_it():
    assert seen([1, 2], (1, 0, 1), (2, 0, 2)) == {("one", "two")}
    assert seen([1, 2], (1, 0, 1), (2, 1, 2)) == set()


def test_a_call_without_any_step_happens_at_one_moment():
    assert seen([1, 1], (1, 0, 2), (2, 1, 1)) == {("one", "two")}
    assert seen([1, 1], (1, 0, 2), (2, 2, 2)) == set()
    assert seen([1, 1], (1, 0, 2), (2, 0, 0)) == {("one", "two")}  # the other has begun, and stands before its first
    assert seen([1], (1, 0, 1), (2, 0, 0)) == {("one", "two")}
    assert seen([], (1, 0, 0), (2, 0, 0)) == {("one", "two")}


def test_a_call_that_waits_for_a_lock_is_under_way():
    whole = (1, 0, 3), (2, 1, 6)
    assert seen([1, 1, 1, 2, 2, 2], *whole, able=[(1, 2), (1,), (1,), (2,), (2,), (2,)]) == {("one", "two")}
    assert seen([1, 1, 1, 2, 2, 2], *whole, able=[(1, 2), (1, 2), (1, 2), (2,), (2,), (2,)]) == set()
    later = (1, 0, 3), (2, 3, 6)  # it begins when the lock is free again
    assert seen([1, 1, 1, 2, 2, 2], *later, able=[(1, 2), (1,), (1,), (2,), (2,), (2,)]) == set()
