"""A comparison without a difference is a pass only if its calls returned and its tests were compared."""

from collections import Counter

import pytest

from plait.commands.check.evidence import Alone
from plait.commands.diff.command import _code
from plait.commands.diff.evidence import CallCounts, WorkDone, conclude_diff
from plait.judge.difference.outcome import Outcome
from plait.judge.oracle.specification import UNFINISHED
from plait.model.test import Call, Test
from plait.report.diff_text import diff_text
from plait.report.layout import Layout, as_text
from plait.subject.interface.members import Interface, Method
from plait.subject.interface.signature import Parameter

COMPARED = WorkDone(tests=9, discarded=3, checks=6)
PAIRS = (("get", "put"), ("put", "put"), ("put", "drop"))


def interface(*names):
    return Interface("shop:Shop", (), (), tuple(Method(name, "", "method", (Parameter("key"),)) for name in names), ())


def calls(*, waited=(), **returned):
    """Four calls of each method, of which so many returned."""
    found = CallCounts(Counter(dict.fromkeys(returned, 4)), Counter(returned), Counter(dict.fromkeys(waited, 4)))
    found.together = Counter(returned)
    return found


def conclusion(seen, done=COMPARED, sides=(), changed=("put",), pairs=PAIRS):
    names = sorted({name for pair in pairs for name in pair})
    return conclude_diff(interface(*names), pairs, changed, seen, sides, done)


def test_calls_that_return_and_tests_that_were_compared_are_evidence():
    found = conclusion(calls(get=4, put=4, drop=1))
    assert (found.reason, found.notes) == ("", ())
    assert found.methods["drop"] == {"called": 4, "returned": 1, "returned_together": 1}


def test_a_changed_method_that_never_returned_is_none():
    alone = Alone(called={"put": 2}, errors={"put": "TypeError: no engine"}, built="Shop(0)")
    found = conclusion(calls(get=4, put=0, drop=4), sides=(alone, alone))
    assert found.reason.startswith("3 of 3 changed pairs were not tested: calls always raised: `put` TypeError: no eng")
    assert "values = { key = [...] } under [tool.plait]" in found.reason
    assert "it was built by `Shop(0)`): factories = [...]" in found.reason
    assert found.methods["put"] == {"called": 6, "returned": 0, "returned_together": 0, "error": "TypeError: no engine"}


def test_a_method_that_returns_on_one_version_alone_has_not_been_compared():
    fine = Alone(called={"put": 2}, returned={"put": 2})
    broken = Alone(called={"put": 2}, errors={"put": "KeyError: 1"})
    assert "`put` KeyError: 1" in conclusion(calls(get=4, put=0, drop=4), sides=(fine, broken)).reason
    assert conclusion(calls(get=4, put=0, drop=4), sides=(fine, fine)).reason == ""


def test_another_method_that_never_returned_is_named():
    found = conclusion(calls(get=4, put=4, drop=0), sides=(Alone(errors={"drop": "KeyError: 'a'"}),) * 2)
    assert found.reason == ""
    assert found.notes[0].startswith("never returned, so not compared: `drop` KeyError: 'a'. Give arguments that fit")


def test_a_call_that_waits_has_not_failed():
    assert conclusion(calls(get=4, put=0, drop=4, waited=("put",))).reason == ""
    blocked = Alone(called={"put": 2})
    assert conclusion(calls(get=4, put=0, drop=4), sides=(blocked, blocked)).reason == ""


def test_operators_count_only_where_they_have_changed():
    pairs = (("put", "put"), ("put", "__lt__"), ("__lt__", "__gt__"), ("__gt__", "__gt__"))
    seen = calls(put=4, __lt__=0, __gt__=0)
    assert conclusion(seen, pairs=pairs).reason == ""
    assert conclusion(seen, pairs=pairs, changed=("put", "__lt__", "__gt__")).reason.startswith("3 of 4 changed pairs")


@pytest.mark.parametrize(("done", "said"), [
    (WorkDone(in_time=False), "the time was over before the first test was ready; --budget"),
    (WorkDone(losses=("a worker was lost: killed",)), "not one test could be made: a worker was lost: killed"),
    (WorkDone(), "not one test could be made. Say how to build objects: factories = [...]"),
    (WorkDone(left_out=("walk is left out",)), "not one test could be made: walk is left out. Give its parameters"),
    (
        WorkDone(tests=9, discarded=4, checks=5, inconclusive=5),
        "none of the 5 tests that may differ could be compared to",
    ),
    (
        WorkDone(tests=5, checks=5, inconclusive=5, lost=4),
        "workers died. Leave the method that kills them out: exclude",
    ),
    (WorkDone(tests=5, checks=5, inconclusive=5, diverged=4), "nondeterministic = [...]"),
    (
        WorkDone(tests=9, discarded=4, unchecked=5),
        "none of the 5 tests that may differ was explored in time; --budget",
    ),
])  # fmt: skip
def test_tests_must_have_been_compared(done, said):
    assert said in conclusion(calls(get=4, put=4, drop=4), done).reason


@pytest.mark.parametrize("done", [
    WorkDone(tests=9, discarded=9), WorkDone(tests=9, known=9), WorkDone(tests=9, checks=9, inconclusive=8),
    WorkDone(tests=9, discarded=2, unchecked=3, checks=4),
])  # fmt: skip
def test_one_test_that_was_compared_is_enough(done):
    assert conclusion(calls(get=4, put=4, drop=4), done).reason == ""


def test_calls_are_counted_on_both_versions():
    test = Test((), (), ((Call("get", "x.get()"),), (Call("put", "x.put()"),)))
    returned, raised = ("returned", 1), ("raised", "KeyError", "get")
    seen = CallCounts()
    seen.see(test, [Outcome("", (returned, UNFINISHED))], [Outcome("", (raised, UNFINISHED))])
    assert (seen.called["get"], seen.returned["get"], seen.waited["put"]) == (1, 0, 1)
    seen.see(test, [Outcome("", (returned, returned))], [Outcome("", (raised, returned)), Outcome("", (returned,) * 2)])
    assert (seen.returned["get"], seen.together["get"], seen.together["put"]) == (1, 1, 1)
    seen.see(test, [], [Outcome("", (returned, returned))])  # could not be run on one version
    assert seen.called["get"] == 2


DAO = """
import threading

class Dao:
    def __init__(self, engine):
        self._engine = engine
        self._lock = threading.Lock()
        self._rows = {}

    def fetch(self, key):
        with self._lock:
            row = self._engine.execute("select", key)
            self._rows[key] = row
            return row

    def size(self):
        with self._lock:
            return len(self._rows)
"""
NARROWER = DAO.replace("    self._rows[key] = row\n            return row", "self._rows[key] = row\n        return row")


def test_a_changed_method_that_only_raises_is_no_pass(compare):
    """No engine that is made up has such a part: the changed lines are never reached."""
    old, new = (each.replace('"select", key)', '"select", key)._row') for each in (DAO, NARROWER))
    result = compare(old, new, "Dao", tests=10)
    assert (result.verdict, _code(result)) == ("inconclusive", 3)
    assert "`fetch` AttributeError: " in result.reason
    assert result.reason == result.notes[0]
    assert f"Why: {result.reason}." in as_text(diff_text(result, Layout(unwrapped=True)))
    assert result.stats["methods"]["fetch"]["returned"] == 0 < result.stats["methods"]["fetch"]["called"]


def test_a_change_that_changes_nothing_is_a_pass_with_evidence(compare):
    old = DAO.replace('self._engine.execute("select", key)', "(key, self._engine)")
    result = compare(old, old.replace("return len(self._rows)", "return len(dict(self._rows))"), "Dao", tests=10)
    assert (result.verdict, _code(result)) == ("none", 0)
    assert result.stats["methods"]["size"]["returned_together"]
