import math
import time

import pytest

from plait.commands.budget import Budget


def test_the_clock():
    budget = Budget(0.05)
    assert 0 < budget.left <= 0.05
    assert not budget.is_over(tests=10**9, schedules=10**9)
    time.sleep(0.06)
    assert budget.left == 0
    assert budget.is_over()
    assert not budget.by_steps


def test_steps():
    budget = Budget(max_tests=10, max_schedules=100)
    assert budget.left == math.inf
    assert not budget.is_over(tests=9, schedules=99)
    assert budget.is_over(tests=10, schedules=0)
    assert budget.is_over(tests=0, schedules=100)
    assert budget.by_steps


def test_the_default_is_for_those_who_ask_for_nothing():
    assert Budget.of(None, default=60).wall == 60
    assert Budget.of(5, default=60).wall == 5
    assert Budget.of(None, 10, default=60).wall is None
    assert Budget.of(None, None, 10, default=60).by_steps
    assert not Budget.of(5, 10, default=60).by_steps


@pytest.mark.parametrize(("total", "parts"), [(10, 4), (3, 4), (4, 4), (1000, 7), (1, 1)])
def test_shares_add_up_and_differ_by_one_at_most(total, parts):
    shares = [share.tests for share in Budget(max_tests=total).shares(parts)]
    assert shares == [share.schedules for share in Budget(max_schedules=total).shares(parts)]
    assert sum(shares) == total
    assert len(shares) == parts
    assert max(shares) - min(shares) <= 1


def test_without_a_limit_no_share_ends():
    assert not any(share.is_over(tests=10**9, schedules=10**9) for share in Budget(5).shares(4))


def test_a_share_ends_at_either_limit():
    share = Budget(max_tests=4, max_schedules=40).shares(2)[0]
    assert not share.is_over(tests=1, schedules=19)
    assert share.is_over(tests=2, schedules=0)
    assert share.is_over(tests=0, schedules=20)
