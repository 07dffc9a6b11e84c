"""What a step did is told once, however often it did it; its first operation stands apart."""

from plait.observe.happens import HappensBefore, steps_of
from plait.run.operations import READ, WRITE

ROOTS = [0, 1, 2]
A, B, SET = (1, 1, READ), (2, 2, READ), (1, 1, WRITE)


def entry(thread, loc, mode=READ, enabled=(1, 2)):
    return (thread, loc, mode, 0, enabled, None)


def test_what_a_loop_does_again_says_nothing_new():
    trace = [entry(1, 1), *[entry(1, loc, enabled=None) for loc in (2, 1, 2, 1)], entry(2, 2), entry(2, 1, WRITE)]
    steps = steps_of(trace, ROOTS)
    assert [step[:2] for step in steps] == [(1, (A, B, A)), (2, (B,)), (2, (SET,))]
    assert steps_of(trace, ROOTS, 5) == steps[1:]


def test_long_steps_race_as_short_ones_do():
    """Readings commute with each other, whichever of them come first in a step."""
    trace = [entry(1, 2), entry(2, 1, WRITE), entry(1, 2), *[entry(1, loc, enabled=None) for loc in (1, 2) * 50]]
    order = HappensBefore()
    assert order.extend(steps_of(trace, ROOTS)) == [(1, 2)]
    order.truncate(1)
    assert order.extend(steps_of([entry(2, 2, WRITE)], ROOTS)) == [(0, 1)]
