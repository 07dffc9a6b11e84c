"""ISINdeltaIS, line by line, on traces made by hand."""

import pytest

from plait.judge.difference_filter import Filter, impacted
from plait.judge.difference_serial import Beginning, Observation
from plait.observe.context import Context
from plait.observe.footprint import Touch, Touched
from plait.observe.trace import Event, Trace
from plait.subject.change import Change

LOCKED, FREE = Context(("x._lock",)), Context()


def event(line, *, thread=1, value="1", context=LOCKED, write=True):
    return Event(thread, ("a.py", line), 0, "A.value", write, value, context)


def trace(*events, digest="d"):
    return Trace(tuple(events), digest)


def identity(place):
    return place


def test_the_same_accesses_are_not_impacted():
    first = [trace(event(1), event(2, thread=2))]
    assert impacted(first, first, identity) is None


def test_an_access_of_a_new_statement_is_impacted():
    found = impacted([trace(event(1))], [trace(event(1))], lambda place: None)
    assert found is not None
    assert found[0] == "new statement"


def test_an_access_of_a_statement_that_was_not_reached_is_impacted():
    found = impacted([trace(event(1))], [trace(event(1), event(2))], identity)
    assert found is not None
    assert (found[0], found[1].place) == ("new path", ("a.py", 2))


@pytest.mark.parametrize("context", [FREE, Context(("x._other",)), Context(("x._lock",), ("x._event",))])
def test_another_context_is_impacted(context):
    found = impacted([trace(event(1))], [trace(event(1, context=context))], identity)
    assert found is not None
    assert found[0] == "other context"


def test_a_context_that_any_access_of_the_statement_had_is_known():
    first = [trace(event(1), event(1, thread=2, context=FREE))]
    assert impacted(first, [trace(event(1, context=FREE))], identity) is None


def test_a_value_that_the_statement_never_handled_is_impacted():
    found = impacted([trace(event(1, value="1"))], [trace(event(1, value="2"))], identity)
    assert found is not None
    assert found[0] == "new value"


def test_statements_are_matched_before_they_are_compared():
    assert impacted([trace(event(1))], [trace(event(5))], lambda place: (place[0], place[1] - 4)) is None


def change(new_to_old):
    return Change(
        "a:A", (), (), (), (), (), frozenset(), frozenset(), frozenset(), frozenset(), frozenset(),
        old_to_new={old: new for new, old in new_to_old.items()}, new_to_old=new_to_old,
    )  # fmt: skip


def observation(*traces):
    return Observation(Beginning((), None), (), traces)


def test_both_directions_are_looked_at():
    """What the new version no longer does is a difference, too (line 29)."""
    filtering = Filter(change({("a.py", 1): ("a.py", 1), ("a.py", 2): ("a.py", 2)}))
    longer, shorter = trace(event(1), event(2), digest="l"), trace(event(1), digest="s")
    gone = filtering.decide(observation(longer), observation(shorter))
    come = filtering.decide(observation(shorter), observation(longer))
    assert (gone.keep, gone.impact.side) == (True, "old")
    assert (come.keep, come.impact.side) == (True, "new")


def test_files_that_were_not_compared_are_the_same():
    filtering = Filter(change({("other.py", 1): ("other.py", 3)}))
    assert not filtering.decide(observation(trace(event(1), digest="1")), observation(trace(event(1), digest="2"))).keep


def test_a_pair_of_traces_is_decided_once():
    filtering = Filter(change({("a.py", 1): ("a.py", 1)}))
    pair = observation(trace(event(1))), observation(trace(event(1, context=FREE)))
    assert filtering.decide(*pair).keep
    again = filtering.decide(*pair)
    assert (again.keep, again.repeated) == (False, True)


def test_impacted_accesses_of_single_calls_tell_where_to_look():
    filtering = Filter(change({("a.py", 1): ("a.py", 1)}))

    def touched(context, line=1):
        touch = Touch("x.value", "", 1, ("a.py", line), "1", context)
        return Touched(frozenset({("x.value", "", 1)}), (touch,))

    assert filtering.impacts(touched(LOCKED), touched(LOCKED)) == (frozenset(), frozenset())
    footprint = frozenset({("x.value", "", 1)})
    assert filtering.impacts(touched(LOCKED), touched(FREE)) == (footprint, footprint)
    assert filtering.impacts(touched(LOCKED), touched(LOCKED, line=2))[1] == footprint
