"""How the time is shared among tests before anything is measured."""

import random
import time

import pytest

from plait.campaign.perf_measure import Rounds, Rules
from plait.judge.performance_result import Measured
from plait.model.test import Test


def made_of(*seconds):
    return [Measured(f"test {number}", Test((), (), ()), "", 1, 1, 30, each) for number, each in enumerate(seconds)]


def fitting(made, budget):
    rounds = Rounds(lambda _number: None, Rules(), random.Random(0), threads=8, scope="whole")
    return rounds.fitting(made, time.monotonic() + budget)


def test_quick_tests_all_fit():
    made = made_of(0.001, 0.001, 0.001)
    assert fitting(made, 30.0) == made


@pytest.mark.parametrize(("budget", "names"), [(1.0, ["test 0"]), (20.0, ["test 0"]), (60.0, ["test 0", "test 1"])])
def test_slow_tests_wait_for_a_longer_budget(budget, names):
    """Eight executions of 0.2 s on either side are 3.2 s in each of six rounds: 19.2 s and the starts for each test."""
    assert [each.name for each in fitting(made_of(0.2, 0.2, 0.2), budget)] == names


def test_a_refused_test_takes_no_time_and_is_still_reported():
    made = made_of(0.2, 0.2)
    made[0].refuse("deadlock")
    assert fitting(made, 1.0) == made
