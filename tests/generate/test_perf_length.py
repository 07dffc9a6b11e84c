import math

import pytest

from plait.generate.perf import Limits, NoLengthError, Tried, find_length, split_length

LIMITS = Limits(t_min=0.005, t_s=0.5, r_min=6, max_tries=20)


class Machine:
    """Executes a test of some length in a time that is proportional to it."""

    def __init__(self, old, new):
        self.costs = old, new
        self.lengths = []

    def __call__(self, length):
        self.lengths.append(length)
        return Tried(*(length * cost for cost in self.costs))


@pytest.mark.parametrize("cost", [1e-8, 3e-7, 1e-5, 1e-4, 2e-3, 6e-3])
def test_a_length_fits_between_what_can_be_measured_and_what_can_be_repeated(cost):
    machine = Machine(cost, cost)
    length = find_length(machine, LIMITS)
    assert length * cost > LIMITS.t_min
    assert LIMITS.t_s / (length * cost) > LIMITS.r_min
    assert len(machine.lengths) <= LIMITS.max_tries


def test_the_length_fits_both_versions():
    length = find_length(Machine(1e-6, 4e-6), LIMITS)
    assert length * 1e-6 > LIMITS.t_min
    assert LIMITS.t_s / (length * 4e-6) > LIMITS.r_min


def test_abort_when_too_short_for_one_and_too_long_for_the_other():
    with pytest.raises(NoLengthError, match="too short for one version .* and too long for the other") as caught:
        find_length(Machine(1e-7, 1e-4), LIMITS)
    assert caught.value.nearest > 1


def test_abort_when_the_shortest_test_is_too_long():
    machine = Machine(1.0, 1.0)
    with pytest.raises(NoLengthError, match="no length is right") as caught:
        find_length(machine, LIMITS)
    assert caught.value.nearest == 1
    assert machine.lengths[-1] == 1


def test_abort_when_the_longest_test_is_too_short():
    with pytest.raises(NoLengthError) as caught:
        find_length(Machine(1e-12, 1e-12), LIMITS)
    assert caught.value.nearest > 900_000


def test_abort_after_so_many_tries():
    machine = Machine(1e-6, 1e-6)
    with pytest.raises(NoLengthError):
        find_length(machine, Limits(0.005, 0.5, 6, max_tries=1))
    assert len(machine.lengths) == 1


def test_a_test_that_does_not_end_is_too_long():
    lengths = []

    def attempt(length):
        lengths.append(length)
        return Tried(*[math.inf if length > 50 else length * 1e-3] * 2)

    assert find_length(attempt, LIMITS) <= 50
    assert lengths[0] > 50


@pytest.mark.parametrize(("length", "calls", "repeat"), [(1, 1, 1), (100, 10, 10), (2, 1, 2), (1000, 31, 32)])
def test_a_suffix_has_the_square_root_of_its_length_in_calls(length, calls, repeat):
    assert split_length(length) == (calls, repeat)
