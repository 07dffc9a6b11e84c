"""Exact numbers of inequivalent schedules, and the truths that other tools miss."""

import pytest
from subjects import account, counter, lock_orders, locked_counter, lost_wakeup, opposite_locks, philosophers

from plait.explore.bounded import Bounded
from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.explore.icb import Icb
from plait.explore.pct import Pct
from plait.explore.period import Period
from plait.explore.pos import Pos
from plait.explore.random_walk import RandomWalk
from plait.explore.rff import Rff
from plait.explore.runner import explore
from plait.explore.stateful import Stateful
from plait.explore.surw import Surw
from plait.run.engine import ENGINE


@pytest.fixture
def gil():
    ENGINE.gil = True
    yield
    ENGINE.gil = False


@pytest.mark.parametrize(
    ("prepare", "classes"),
    [
        (counter(2, 1), 4), (counter(2, 3), 328), (counter(3, 1), 36), (account, 4), (locked_counter(2, 1), 2),
        (locked_counter(2, 3), 20), (locked_counter(3, 1), 6), (opposite_locks, 3), (philosophers(3), 7),
    ],
)  # fmt: skip
def test_one_execution_per_class(prepare, classes):
    found = explore(prepare, Dpor())
    assert (found.executions - found.redundant, found.redundant, found.exhausted) == (classes, 0, True)
    assert found.statement() == f"Covered all classes of equivalent schedules in {classes:,} executions."


@pytest.mark.parametrize(
    ("strategy", "executions"),
    [(Dfs(), 924), (Dfs(bound=2), 62), (Icb(2), 62), (Icb(), 924), (Stateful(), 213), (Bounded(2), 62)],
)
def test_executions_to_exhaust_a_counter(strategy, executions):
    found = explore(counter(2, 3), strategy)
    assert (found.executions, found.exhausted) == (executions, True)


@pytest.mark.usefixtures("gil")
def test_a_read_and_a_write_without_a_call_between_them_are_one_step_under_the_gil():
    values = set()
    boxes = []
    prepare = counter(2, 1)

    def remember():
        bodies = prepare()
        boxes[:] = [bodies[0].__closure__[0].cell_contents]
        return bodies

    found = explore(remember, Dpor(), check=lambda engine: values.add(boxes[0].n))
    assert (found.executions, values) == (2, {2})


@pytest.mark.parametrize("model", [False, True])
@pytest.mark.parametrize("make", [Dpor, Dfs, Icb, Stateful, lambda: Bounded(6)])
def test_all_twenty_orders_of_a_lock(make, model):
    seen = []
    ENGINE.gil = model
    try:
        found = explore(lock_orders(seen), make(), replay_every=0)
    finally:
        ENGINE.gil = False
    assert found.exhausted
    assert len({tuple(order) for order in seen if len(order) == 6}) == 20


def test_who_locks_first_is_not_decided_by_the_order_of_listing():
    seen = []
    explore(lock_orders(seen), Dpor())
    assert {order[0] for order in seen} == {"a", "b"}


@pytest.mark.parametrize("waiter_first", [True, False])
@pytest.mark.parametrize("make", [Dpor, Dfs, Icb, Stateful, lambda: Bounded(1), lambda: Icb(1)])
def test_the_lost_wakeup_is_found_whichever_way_threads_are_listed(make, waiter_first):
    found = explore(lost_wakeup(waiter_first=waiter_first), make())
    assert found.statuses["deadlock"] >= 1
    assert found.statuses["finished"] >= 1


@pytest.mark.parametrize("make", [Pos, RandomWalk, Pct, Surw, Rff, Period])
@pytest.mark.parametrize(("prepare", "model"), [(lost_wakeup(waiter_first=False), False), (philosophers(3), True)])
def test_sampling_finds_deadlocks(make, prepare, model):
    ENGINE.gil = model
    try:
        found = explore(
            prepare, make(seed=1), max_executions=400, on_execution=lambda _engine, status: status == "deadlock"
        )
    finally:
        ENGINE.gil = False
    assert found.ended == "as asked"
    assert not found.exhausted


@pytest.mark.parametrize("make", [Pos, RandomWalk, Pct, Surw, Rff, Period])
def test_samples_depend_on_the_seed_alone(make):
    def schedules(seed):
        runs = []
        explore(counter(3, 2), make(seed=seed), max_executions=20, on_execution=lambda engine, _: runs.append(
            [entry[0] for entry in engine.trace]
        ))  # fmt: skip
        return runs

    assert schedules(1) == schedules(1)
    assert schedules(1) != schedules(2)


@pytest.mark.parametrize(("make", "share"), [(Surw, 0.9), (Pos, 0.75), (RandomWalk, 0.6), (Rff, 0.6), (Period, 0.75)])
def test_samples_spread_over_the_schedules(make, share):
    """Of the 20 schedules of two threads with three steps each, 100 samples reach most."""
    seen = set()
    explore(lambda: [_three_writes()] * 2, make(seed=3), max_executions=100, on_execution=lambda engine, _: seen.add(
        tuple(entry[0] for entry in engine.trace)
    ))  # fmt: skip
    assert len(seen) >= 20 * share


def _three_writes():
    from subjects import Box

    from plait.run.hooks import access

    box = _three_writes.box = Box(n=0)

    def body():
        for value in range(3):
            access.write(box, "n", 1).n = value

    return body
