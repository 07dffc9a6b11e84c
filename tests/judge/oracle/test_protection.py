"""Which lines lack a lock, and which one: what the report says, and what findings are grouped by."""

from plait.judge.oracle.protection import protection
from plait.model.finding import AccessStep, Gap, RaisedAt

LOCK = ["Pool._lock"]


def at(thread, line, access, *locks, function="Pool.take", file="pool.py"):
    verb, _, place = access.partition(" ")
    return AccessStep(thread, file, line, function, f"line {line}", verb, place, locks=locks)


GAP = Gap(1, "pool.py", "Pool.take", 23, 25)


def test_the_other_access_says_which_lock():
    race = [at(1, 23, "read Pool.free"), at(2, 40, "write Pool.free", *LOCK, function="Pool.give")]
    found = protection(GAP, race, race)
    assert (found.first, found.last, found.lock) == (23, 25, "Pool._lock")
    assert "lines 23 and 25 of pool.py, in `Pool.take`, must run under `Pool._lock`, as the other" in found.sentence


def test_who_does_not_respect_the_lock_has_to_take_it():
    """The interrupted lines hold it: to say that they must hold one would send the reader to the wrong place."""
    other = at(2, 60, "read Pool.free", function="Pool.report.<locals>.<listcomp>")
    steps = [at(1, 23, "write Pool.free", *LOCK), other, at(1, 25, "write Pool.free", *LOCK)]
    found = protection(GAP, [other, steps[2]], steps)
    assert (found.file, found.first, found.last, found.lock) == ("pool.py", 60, 60, "Pool._lock")
    assert found.sentence == (
        "Not under the lock: line 60 of pool.py, in `Pool.report`, must run under `Pool._lock`, which is held at lines "
        "23 and 25 in `Pool.take` (thread 1 is interrupted there)."
    )


def test_a_lock_that_is_taken_too_late_is_named():
    other = at(2, 23, "read Pool.free")
    steps = [at(1, 23, "read Pool.free"), other, at(1, 25, "write Pool.free", *LOCK)]
    found = protection(GAP, [other, steps[2]], steps)
    assert (found.first, found.last, found.lock) == (23, 25, "Pool._lock")
    assert "must run under `Pool._lock`, which is held at line 25 only" in found.sentence


def test_each_access_under_the_lock_is_not_all_of_them_under_it():
    race = [at(1, 70, "read Pool.free", *LOCK), at(2, 71, "write Pool.free", *LOCK)]
    found = protection(GAP, race, race)
    assert "must run under `Pool._lock` as a whole: each access takes it for itself" in found.sentence


def test_without_any_lock_none_is_named():
    race = [at(1, 23, "read Pool.free"), at(2, 25, "write Pool.free")]
    found = protection(GAP, race, race)
    assert (found.lock, "must run under one lock" in found.sentence) == ("", True)


def waited(*behind):
    """Steps of a thread that waits at line 32 while another one gives and takes, and that then reaches these lines."""
    return [
        at(1, 27, "read Pool.free", *LOCK), at(1, 32, "wait Pool._lock"),
        at(2, 37, "write Pool.free", *LOCK, function="Pool.give"), at(2, 27, "read Pool.free", *LOCK),
        at(1, 32, "acquire Pool._lock"), *(at(1, line, "read Pool.free", *LOCK) for line in behind),
    ]  # fmt: skip


def test_what_was_raised_behind_a_wait_was_not_tested_again():
    """Whatever was interrupted elsewhere: to hold a lock there would not mend it."""
    elsewhere = Gap(2, "pool.py", "Pool.give", 36, 37)
    steps = waited(33)
    found = protection(elsewhere, steps[2:4], steps, RaisedAt("pop from empty list", "pool.py", 33))
    assert (found.waits, found.function, found.first, found.lock) == (True, "Pool.take", 32, "")
    assert found.sentence.startswith("Not tested again: wait() at line 32 of pool.py, in `Pool.take`, lets other")


def test_a_wait_in_a_loop_is_not_to_blame():
    elsewhere = Gap(2, "pool.py", "Pool.give", 36, 37)
    steps = waited(27, 33)
    assert not protection(elsewhere, steps[2:4], steps, RaisedAt("pop from empty list", "pool.py", 33)).waits
    assert not protection(elsewhere, steps[2:4], waited(33), RaisedAt("closed", "other.py", 33)).waits
    assert not protection(elsewhere, steps[2:4], waited(33), None).waits
