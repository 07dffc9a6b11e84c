import math

import pytest

from plait.judge.performance.statistics import deviation, interval, mean, median, quantile, t_quantile, undisturbed


def test_quantiles_of_students_t_are_those_of_the_tables():
    # Two-sided 98 %: 0.99 in one tail.
    table = {1: 31.8205, 2: 6.9646, 4: 3.7469, 5: 3.3649, 9: 2.8214, 19: 2.5395, 99: 2.3646}
    for freedom, value in table.items():
        assert t_quantile(0.99, freedom) == pytest.approx(value, abs=5e-5)


def test_quantiles_of_students_t_are_those_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    for freedom in (1, 2, 3, 7, 23, 60, 200):
        for probability in (0.6, 0.9, 0.975, 0.99, 0.9995):
            expected = float(stats.t.ppf(probability, freedom))
            assert t_quantile(probability, freedom) == pytest.approx(expected, rel=1e-10)


def test_an_interval_is_the_one_computed_by_hand():
    # Mean 10, standard deviation 1, five values: 3.7469 / sqrt(5) on either side.
    values = [9.0, 9.5, 10.0, 10.5, 11.0]
    middle, low, high = interval(values, 0.98)
    half = 3.7469 * math.sqrt(0.625) / math.sqrt(5)
    assert (middle, low, high) == pytest.approx((10.0, 10.0 - half, 10.0 + half), abs=1e-4)


def test_one_value_says_nothing_about_its_spread():
    assert deviation([3.0]) == math.inf
    assert interval([3.0], 0.98) == (3.0, -math.inf, math.inf)


def test_intervals_hold_the_true_mean_as_often_as_they_promise():
    import random

    chance = random.Random(5)
    hits = 0
    for _ in range(1000):
        found = interval([chance.gauss(1.0, 0.3) for _ in range(6)], 0.98)
        hits += found.low <= 1.0 <= found.high
    # Binomial with n = 1000, p = 0.98: standard deviation 4.4.
    assert 960 <= hits <= 997


def test_mean_median_and_quartile():
    values = [5.0, 1.0, 2.0, 4.0, 3.0]
    assert mean(values) == 3.0
    assert median(values) == 3.0
    assert median([1.0, 2.0]) == 1.5
    assert undisturbed(values) == 2.0
    assert quantile(values, 0.0) == 1.0
    assert quantile(values, 1.0) == 5.0


def test_the_undisturbed_time_withstands_disturbances_of_most_executions():
    quiet = [1.0, 1.01, 0.99, 1.0] * 3
    assert undisturbed(quiet + [7.0] * 20) == pytest.approx(undisturbed(quiet), rel=0.02)
