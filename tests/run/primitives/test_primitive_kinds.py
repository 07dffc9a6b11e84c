"""A primitive says itself what plait has to know of it: a class that is registered needs no other file."""

import pytest

from plait.run.heap import OPAQUE
from plait.run.primitives.condition import Condition
from plait.run.primitives.event import Event
from plait.run.primitives.kinds import primitive_kind
from plait.run.primitives.lock import Lock, RLock
from plait.run.primitives.semaphore import BoundedSemaphore, Semaphore

MADE = [Lock, RLock, Condition, Event, Semaphore, BoundedSemaphore]


@pytest.mark.parametrize("primitive", MADE)
def test_each_is_known(primitive):
    kind = primitive_kind(primitive())
    assert kind.awaited.format("C.it").endswith(" C.it")
    assert primitive in OPAQUE


@pytest.mark.parametrize(
    ("primitive", "change", "states"),
    [
        (Event, {"_on": True}, [(False,), (True,)]),
        (Semaphore, {"_count": 2}, [(1,), (2,)]),
        (Lock, {"holder": object()}, [("free",), ("held",)]),
        (RLock, {"holder": object()}, [("free",), ("held",)]),
    ],
)
def test_what_is_kept_is_put_back(primitive, change, states):
    made = primitive()
    kind = primitive_kind(made)
    put_back = kind.keep(made)
    seen = [kind.state(made)]
    for name, value in change.items():  # without a thread that could make a step
        setattr(made, name, value)
    seen.append(kind.state(made))
    put_back()
    assert [*seen, kind.state(made)] == [*states, states[0]]


def test_a_class_of_ones_own_that_is_derived_is_put_back_as_well():
    class Gate(Event):
        pass

    gate = Gate()
    put_back = primitive_kind(gate).keep(gate)
    gate._on = True
    put_back()
    assert not gate._on


@pytest.mark.parametrize("value", [None, 3, "Lock", Lock, {}])
def test_nothing_else_is_one(value):
    assert primitive_kind(value) is None
