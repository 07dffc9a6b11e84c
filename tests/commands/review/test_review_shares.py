"""How one budget is shared between steps."""

import pytest

from plait.commands.budget import Budget
from plait.commands.review.steps import ENOUGH, LEAST, WEIGHTS, Shares


class Clock(Budget):
    """A budget whose time passes by hand."""

    __slots__ = ("now",)

    @property
    def elapsed(self):
        return self.now


def shares(wall, *steps):
    budget = Clock(wall)
    budget.now = 0.0
    made = Shares(budget)
    made.plan(*steps)
    return made, budget


def test_unused_time_goes_to_all_later_steps():
    made, budget = shares(180.0, "diff", "check", "diff", "check", "perf", "perf")
    assert made.begin("diff") == pytest.approx(180 * WEIGHTS["diff"] / 1.8)
    budget.now = 1.0
    assert made.begin("check") == pytest.approx(179 * WEIGHTS["check"] / 1.5)
    budget.now = 2.0
    for step in ("diff", "check"):
        assert made.begin(step) > 0
    assert made.begin("perf") == pytest.approx(89.0)
    budget.now = 91.0
    assert made.begin("perf") == pytest.approx(89.0)


def test_what_cannot_finish_is_not_begun():
    made, budget = shares(20.0, "diff", "perf")
    assert made.begin("diff") > LEAST["diff"]
    budget.now = 9.0
    assert made.begin("perf") is None


def test_without_a_clock_every_step_gets_enough():
    made, _ = shares(None, "perf")
    assert made.begin("perf") == ENOUGH["perf"]
