"""A call that leaves an object belongs to one that has entered it."""

from collections import Counter

from plait.model.entering import is_paired, unentered
from plait.model.test import Call, Test

MADE = Call("Handle", "Handle()", result="x")
ENTER, EXIT = (Call(f"__{name}__", f"{{receiver}}.__{name}__()") for name in ("enter", "exit"))
OTHER = Call("__exit__", "{receiver}.__exit__()", "other")


def test_leaving_follows_entering():
    inside = Counter()
    assert unentered([EXIT, ENTER, ENTER, EXIT, OTHER, EXIT, EXIT], inside) == [0, 4, 6]
    assert unentered([ENTER, EXIT, ENTER], inside) == []
    assert inside["x"] == 1


def test_a_thread_may_leave_what_was_entered_before():
    assert is_paired(Test((), (MADE, ENTER), ((EXIT,), (ENTER, EXIT))))
    assert not is_paired(Test((), (MADE, ENTER), ((EXIT,), (EXIT,))))
    assert not is_paired(Test((), (MADE,), ((EXIT, ENTER), (ENTER,))))  # the other thread's entering comes too late
    assert not is_paired(Test((), (MADE, EXIT, ENTER), ()))
    assert not is_paired(Test((), (MADE, ENTER), ((OTHER,), (ENTER,))))
