import math
import random

import pytest

from plait.judge.performance.verdict import Series, is_decided, rounds_needed, verdict, winner


def series(olds, news):
    return Series(list(olds), list(news))


def noisy(chance, rounds, *, ratio=1.0, level=0.3, own=0.01):
    """Rounds whose level varies by 30 % while each time varies by 1 % on its own."""
    found = Series()
    for _ in range(rounds):
        base = math.exp(chance.gauss(0, level))
        found.add(base * math.exp(chance.gauss(0, own)), base * ratio * math.exp(chance.gauss(0, own)))
    return found


def test_the_faster_version_wins():
    olds, news = [1.00, 1.01, 0.99, 1.0], [1.2, 1.21, 1.19, 1.2]
    assert winner(series(olds, news)) == "old"
    assert winner(series(news, olds)) == "new"


def test_a_difference_below_the_threshold_does_not_count_however_sure():
    olds, news = [1.0, 1.0001, 0.9999, 1.0], [1.04, 1.0401, 1.0399, 1.04]
    assert winner(series(olds, news)) == "none"
    assert winner(series(olds, news), delta=0.03) == "old"


def test_a_difference_that_may_be_chance_does_not_count_however_large():
    assert winner(series([1.0, 1.0, 1.0], [1.0, 2.0, 0.9])) == "none"


def test_one_round_is_not_enough():
    assert winner(series([1.0], [2.0])) == "none"


def test_what_a_round_does_to_both_versions_does_not_hide_a_difference():
    found = noisy(random.Random(1), 8, ratio=1.1)
    assert winner(found) == "old"
    assert found.speedup().low < 1 / 1.1 < found.speedup().high
    # Without levels the intervals of equation (4) overlap.
    from plait.judge.performance.statistics import interval

    assert interval(found.old, 0.98).high > interval(found.new, 0.98).low


def test_levelled_intervals_do_not_overlap_just_when_the_ratio_excludes_one():
    chance = random.Random(2)
    for _ in range(300):
        found = noisy(chance, 6, ratio=1 + chance.random() / 20, own=0.015)
        excludes = not found.speedup().low <= 1 <= found.speedup().high
        parted = winner(found, delta=1e-9) != "none"
        ratio = found.speedup()
        # The two agree but for the curvature of the logarithm over intervals of a few per cent.
        close = min(abs(math.log(ratio.low)), abs(math.log(ratio.high))) < 0.002
        assert excludes == parted or close


def test_equal_versions_have_no_winner():
    # Own spread 2 % in each time, 6 rounds: the ratio's mean has a standard deviation of 1.2 %, so that more than 5 %
    # happen once in 30,000 tests.
    chance = random.Random(3)
    assert all(winner(noisy(chance, 6, own=0.02)) == "none" for _ in range(400))


def test_a_tenth_slower_is_found():
    chance = random.Random(4)
    found = [winner(noisy(chance, 6, ratio=1.1, own=0.015)) for _ in range(200)]
    assert found.count("old") >= 190


def test_a_clear_interval_is_decided():
    assert is_decided(series([1.0, 1.01, 0.99, 1.0], [2.0, 2.01, 1.99, 2.0]))
    assert is_decided(series([1.0, 1.001, 0.999, 1.0], [1.0, 0.999, 1.001, 1.0]))
    assert not is_decided(series([1.0, 1.01, 0.99, 1.0], [1.05, 1.06, 1.04, 1.05]))
    assert not is_decided(series([1.0, 1.2, 0.8, 1.0], [1.0, 0.8, 1.2, 1.0]))


def test_spread_is_a_share_of_the_mean_after_levelling():
    assert series([1.0, 2.0, 4.0], [1.0, 2.0, 4.0]).spread() == pytest.approx(0.0, abs=1e-12)
    assert series([1.0, 1.1, 0.9], [1.0, 0.9, 1.1]).spread() > 0.05


@pytest.mark.parametrize(
    ("winners", "expected"),
    [
        (["old", "old", "none"], "regression"),
        (["old", "none"], "regression"),  # (6) asks for as many as without a winner, no more
        (["old", "none", "none"], "none"),
        (["old", "new"], "none"),
        (["new", "new", "old"], "improvement"),
        (["new", "new", "old", "none", "none"], "improvement"),
        (["new", "none", "none", "none"], "none"),
        (["none"], "none"),
        ([], "inconclusive"),
        (["old", "inconclusive"], "inconclusive"),
        (["old", "old", "inconclusive"], "regression"),
        (["inconclusive", "inconclusive", "old", "none"], "inconclusive"),
    ],
)
def test_the_majority_rules(winners, expected):
    assert verdict(winners) == expected


def test_more_rounds_narrow_the_interval():
    found = noisy(random.Random(6), 8, own=0.02)
    _, low, high = found.speedup()
    half = math.log(high / low) / 2
    assert rounds_needed(found, half) == 8
    assert rounds_needed(found, half / 2) == pytest.approx(32, abs=1)
