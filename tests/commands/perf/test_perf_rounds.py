"""How the time is shared among tests before anything is measured."""

import random
import time

import pytest

from plait.commands.perf.measure import MeasureRules, Rounds
from plait.judge.performance.result import Measured
from plait.model.test import Test


def made_of(*seconds):
    return [Measured(f"test {number}", Test((), (), ()), "", 1, 1, 30, each) for number, each in enumerate(seconds)]


def rounds_of():
    return Rounds(lambda _number: None, MeasureRules(), random.Random(0), threads=8, scope="whole")


def affordable(made, left):
    for each in made:
        each.repetitions = 6
    return rounds_of().affordable(made, left)


def measured(made, count):
    for _ in range(count):
        made.series("whole").add(1.0, 1.0)


def test_quick_tests_all_fit():
    made = made_of(0.001, 0.001, 0.001)
    assert affordable(made, 30.0) == made


@pytest.mark.parametrize(("left", "names"), [(1.0, ["test 0"]), (25.0, ["test 0"]), (60.0, ["test 0", "test 1"])])
def test_slow_tests_wait_for_a_longer_budget(left, names):
    """Eight executions of 0.2 s on either side are 3.2 s in each of six rounds: 19.2 s and the starts for each test."""
    assert [each.name for each in affordable(made_of(0.2, 0.2, 0.2), left)] == names


def test_those_nearest_to_an_answer_stay_when_time_gets_short():
    made = made_of(0.2, 0.2, 0.2)
    measured(made[1], 4)
    rounds = rounds_of()
    for each in made:
        each.repetitions = 6
    assert rounds.affordable(made, 14.0) == [made[1]]
    assert rounds.left_out == [made[0], made[2]]


def test_tests_with_their_rounds_wait_for_those_that_still_fit():
    made = made_of(0.2, 0.2, 0.2)
    measured(made[0], 6)
    measured(made[1], 5)
    rounds = rounds_of()
    for each in made:
        each.repetitions = 6
    assert rounds.affordable(made, 8.0) == [made[1]]
    assert rounds.left_out == [made[2]]


def test_time_lost_to_others_counts():
    made = made_of(0.2, 0.2)
    for each in made:
        each.repetitions = 6
    rounds = rounds_of()
    assert rounds.affordable(made, 50.0) == made
    rounds.quiet, rounds.heavy = 1, 1
    assert rounds.affordable(made, 50.0) == made[:1]


def test_a_refused_test_is_not_measured():
    made = made_of(0.2)
    made[0].refuse("deadlock")
    rounds = rounds_of()
    assert rounds.measure(made, time.monotonic() + 1.0) == "exhausted"
    assert rounds.left_out == []
