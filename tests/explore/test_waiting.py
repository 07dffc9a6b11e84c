"""What threads that wait can still do: time-outs, hand-overs and the clock, under every schedule."""

import pytest

from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from programs import Program

BOTH = pytest.mark.parametrize("make", [Dpor, Dfs])


def logs(*threads, make, any_timeouts=False, gil=False):
    """What each thread logged, in every execution."""
    found = Program(threads, gil=gil, any_timeouts=any_timeouts).run(make())
    assert found.exhausted
    return {(status, *(log for _name, log in seen)) for status, seen, _values, _errors in found.outcomes}


@BOTH
@pytest.mark.parametrize("name", ["lock", "rlock", "sem"])
def test_a_timed_acquisition_that_was_possible_on_arrival_still_times_out(make, name):
    outcomes = logs((("hold_within", name, 1.0, ()),), (("acquire", name),), make=make)
    assert ("finished", (False,), ()) in outcomes  # the other thread got it first and never gives it back
    assert ("finished", (True,), ()) in outcomes


@BOTH
def test_a_semaphore_can_be_taken_by_either_thread_first(make):
    outcomes = logs(
        (("hold", "sem", (("read", "x"), ("write", "x", 1))),),
        (("hold", "sem", (("read", "x"), ("write", "x", 2))),),
        make=make,
    )
    assert outcomes == {("finished", (0,), (1,)), ("finished", (2,), (0,))}


@BOTH
def test_a_lock_can_be_released_by_a_thread_that_does_not_hold_it(make):
    outcomes = logs((("acquire", "lock"), ("acquire", "lock"), ("read", "x")), (("release", "lock"),), make=make)
    assert outcomes == {("finished", (0,), ()), ("deadlock", (), ("release unlocked lock",))}


@BOTH
def test_who_waits_across_an_advance_of_the_clock_could_have_come_first(make):
    outcomes = logs(
        (("hold", "lock", (("event_wait", 1.0), ("write", "x", 1))),), (("hold", "lock", (("read", "x"),)),), make=make
    )
    assert outcomes == {("finished", (False,), (1,)), ("finished", (False,), (0,))}


@BOTH
def test_with_time_outs_at_any_moment_a_sleeper_is_seen_by_whoever_reads_the_clock(make):
    outcomes = logs((("sleep", 1.0),), (("time",),), make=make, any_timeouts=True)
    assert outcomes == {("finished", (), (1000.0,)), ("finished", (), (1001.0,))}


@BOTH
@pytest.mark.parametrize("any_timeouts", [False, True])
def test_a_wait_for_a_condition_ends_with_its_time_out(make, any_timeouts):
    outcomes = logs((("cond_until", "x", 1, 1.0),), (("sleep", 5.0),), make=make, any_timeouts=any_timeouts)
    assert outcomes == {("finished", (False,), ())}


@BOTH
def test_a_notification_or_a_time_out_may_end_a_wait(make):
    outcomes = logs((("cond_wait", 1.0),), (("cond_notify", "x", 1, False),), make=make, any_timeouts=True)
    assert outcomes == {("finished", (True,), ()), ("finished", (False,), ())}


@BOTH
def test_an_iterator_remembers_the_size_it_began_with(make):
    outcomes = logs((("dict_iterate",),), (("dict_set", 0, 1),), make=make)
    assert ("finished", ("dictionary changed size during iteration",), ()) in outcomes
    assert ("finished", (1, "dictionary changed size during iteration"), ()) in outcomes


@BOTH
def test_a_step_that_ends_at_a_busy_lock_under_the_gil(make):
    """The reader sees x before the writer, yet gets the lock behind it: only if its step ended at the busy lock."""
    outcomes = logs(
        (("acquire", "lock"), ("release", "lock"), ("write", "x", 1), ("hold", "lock", (("write", "y", 1),))),
        (("read", "x"), ("hold", "lock", (("read", "y"),))),
        make=make, gil=True,
    )  # fmt: skip
    assert ("finished", (), (0, 1)) in outcomes
