import pytest

from plait.judge.performance.verdict import Series, nature, point


def at(threads, ratio, spread=0.004):
    """Both versions with ``threads`` threads, the new one ``ratio`` times as slow."""
    wobble = [-spread, 0.0, spread, 0.0, spread / 2]
    old = [1e-6 * (1 + each) for each in wobble]
    return point(threads, Series(old, [1e-6 * ratio * (1 - each) for each in wobble]))


def test_a_point_has_calls_per_second():
    found = at(4, 2.0)
    assert found.threads == 4
    assert found.old_rate == pytest.approx(1e6, rel=0.01)
    assert found.new_rate == pytest.approx(5e5, rel=0.01)
    assert found.speedup.mean == pytest.approx(0.5, rel=0.01)
    assert found.winner == "old"


@pytest.mark.parametrize(
    ("alone", "together", "expected"),
    [
        (1.3, 1.3, "sequential"),
        (1.3, 1.25, "sequential"),
        (0.7, 0.7, "sequential"),
        (1.0, 3.0, "contention"),
        (1.0, 0.5, "contention"),
        (1.2, 3.0, "both"),
        (1.0, 1.0, "unclear"),
        (0.8, 1.3, "contention"),  # faster alone, slower together
    ],
)
def test_one_thread_and_many_tell_where_a_difference_comes_from(alone, together, expected):
    assert nature(at(1, alone), at(8, together)) == expected


def test_intervals_that_overlap_do_not_tell_contention():
    assert nature(at(1, 1.04, spread=0.03), at(8, 1.09, spread=0.03)) == "unclear"
