"""ConDiff's motivating example: Figures 1 and 2 and Table I."""

import pytest

from lab import DEMO, version
from plait.commands.diff import worker
from plait.judge.difference.behaviour import compare
from plait.judge.difference.filter import Filter
from plait.judge.difference.outcome import View, atoms
from plait.model.test import Test
from plait.subject.changes.change import analyse
from plait.subject.name import Subject

FIGURE_ONE = {
    "ct1": (["x.deposit(5)"], "x.withdraw(10)", "x.deposit(5)"),
    "ct2": (["x.deposit(5)"], "x.deposit(3)", "x.deposit(2)"),
    "ct3": (["x.deposit(10)"], "x.withdraw(8)", "x.withdraw(10)"),
}
# The balance at the exits of the two calls, over all interleavings.
TABLE_ONE = {
    "ct1": ({(5, 10), (0, 10)}, {(5, 10), (0, 10)}),
    "ct2": ({(8, 10), (10, 7)}, {(8, 10), (10, 7)}),
    "ct3": ({(2, 2), (0, 0)}, {(2, 2), (0, 0), (2, -8), (-8, 0)}),
}


def concurrent_test(name):
    prefix, first, second = FIGURE_ONE[name]
    return Test.from_lines(["from account import Account"], ["x = Account()", *prefix], [[first], [second]])


def change():
    return analyse(Subject("account", "Account"), version("old", DEMO / "old"), version("new", DEMO / "new"))


def explored(sides, test, exits):
    (old, _), (new, _) = sides.both(worker.outcomes, test, View(exits=exits), 1000, 0, 30.0, None, False).values()
    assert old.exhausted
    assert new.exhausted
    return old, new


def balances(found):
    return {tuple(dict(atoms(state[0]))["balance"] for state in outcome.exits) for outcome in found.outcomes}


def test_changed_method_pairs_are_ww_wd_and_dd():
    pairs = change().changed_pairs(["withdraw", "deposit"])
    assert set(pairs) == {("withdraw", "withdraw"), ("withdraw", "deposit"), ("deposit", "deposit")}


@pytest.mark.parametrize("name", FIGURE_ONE)
def test_outcomes_at_the_exits_are_those_of_the_table(account, name):
    old, new = explored(account, concurrent_test(name), "at")
    assert (balances(old), balances(new)) == TABLE_ONE[name]


@pytest.mark.parametrize("name", FIGURE_ONE)
@pytest.mark.parametrize("exits", ["no", "at"])
def test_only_the_third_test_reveals_the_difference(account, name, exits):
    difference = compare(*explored(account, concurrent_test(name), exits))
    assert bool(difference) == (name == "ct3")
    assert not difference.only_old


def test_only_the_third_test_is_kept(account):
    """The paper keeps the first one, too; its traces prove that its interleavings are orders of whole calls."""
    tests = tuple(map(concurrent_test, FIGURE_ONE))
    (old, _), (new, _) = account.both(worker.observe_tests, tests, View()).values()
    filtering = Filter(change())
    decisions = [filtering.decide(before, after) for before, after in zip(old, new, strict=True)]
    assert [decision.keep for decision in decisions] == [False, False, True]
    impact = decisions[2].impact
    # Line 28 takes the lock, behind the test of the balance that the change has left outside of the critical section.
    assert (impact.reason, impact.event.place, impact.event.name) == (
        "new statement", ("account.py", 28), "acquire x._lock.lock",
    )  # fmt: skip


def test_a_pair_of_traces_that_came_before_can_wait(account):
    tests = (concurrent_test("ct3"), concurrent_test("ct3"))
    (old, _), (new, _) = account.both(worker.observe_tests, tests, View()).values()
    filtering = Filter(change())
    first, again = (filtering.decide(before, after) for before, after in zip(old, new, strict=True))
    assert (first.keep, first.can_wait) == (True, False)
    assert (again.keep, again.can_wait, again.repeated) == (True, True, True)
