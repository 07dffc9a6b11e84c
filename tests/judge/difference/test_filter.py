"""ISINdeltaIS, line by line, on traces made by hand."""

from dataclasses import replace

import pytest

from plait.judge.difference.filter import Filter, impacted
from plait.judge.difference.serial import Beginning, Observation
from plait.observe.context import Context
from plait.observe.footprint import Touch, Touched
from plait.observe.trace import Trace, TraceEvent
from plait.subject.changes.change import Change

LOCKED, FREE = Context(("x._lock",)), Context()


def event(line, *, thread=1, value="1", context=LOCKED, write=True):
    return TraceEvent(thread, ("a.py", line), 0, "A.value", write, value, context)


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


@pytest.mark.parametrize(
    "context",
    [FREE, Context(("x._other",)), Context(("x._lock",), ("x._event",)), Context(("x._lock",), holds=(2,))],
)
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
    decision = filtering.decide(observation(trace(event(1), digest="1")), observation(trace(event(1), digest="2")))
    assert decision.impact is None


def test_equal_traces_are_no_proof():
    """What no order of whole calls reaches may differ all the same: the test is checked, behind all others."""
    filtering = Filter(change({("a.py", 1): ("a.py", 1)}))
    decision = filtering.decide(observation(trace(event(1))), observation(trace(event(1))))
    assert (decision.keep, decision.can_wait) == (True, True)


def test_what_is_proven_on_both_versions_is_discarded():
    filtering = Filter(change({("a.py", 1): ("a.py", 1)}))
    other = observation(trace(event(1, context=FREE), digest="o"))
    proven = [replace(each, serializable=True) for each in (observation(trace(event(1))), other)]
    assert not filtering.decide(*proven).keep
    assert filtering.decide(proven[0], other).keep
    differing = replace(proven[1], orders=(((1, 0),), ()))
    assert filtering.decide(proven[0], differing).keep  # one call after another they differ


def test_a_pair_of_traces_that_comes_again_can_wait():
    filtering = Filter(change({("a.py", 1): ("a.py", 1)}))
    pair = observation(trace(event(1))), observation(trace(event(1, context=FREE)))
    assert not filtering.decide(*pair).can_wait
    again = filtering.decide(*pair)
    assert (again.keep, again.can_wait, again.repeated) == (True, True, True)


def test_another_order_is_impacted():
    lines = {("a.py", line): ("a.py", line) for line in (1, 2)}
    first, second = trace(event(1), event(2), digest="1"), trace(event(2), event(1), digest="2")
    decision = Filter(change(lines)).decide(observation(first), observation(second))
    assert decision.impact.reason == "other order"
    assert not decision.can_wait


def test_impacted_accesses_of_single_calls_tell_where_to_look():
    filtering = Filter(change({("a.py", 1): ("a.py", 1)}))

    def touched(context, line=1):
        touch = Touch("x.value", "", 1, ("a.py", line), "1", context)
        return Touched(frozenset({("x.value", "", 1)}), (touch,))

    assert filtering.impacts(touched(LOCKED), touched(LOCKED)) == (frozenset(), frozenset())
    footprint = frozenset({("x.value", "", 1)})
    assert filtering.impacts(touched(LOCKED), touched(FREE)) == (footprint, footprint)
    assert filtering.impacts(touched(LOCKED), touched(LOCKED, line=2))[1] == footprint
