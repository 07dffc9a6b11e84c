import gc

import pytest
from subjects import Box, counter, locked_counter

from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.explore.icb import Icb
from plait.explore.pos import Pos
from plait.explore.progress import estimate_schedules, fraction
from plait.explore.replay import Recorded, Replay
from plait.explore.runner import explore
from plait.explore.stateful import Stateful
from plait.run.engine import DIVERGED, ENGINE
from plait.run.hooks import access


def test_a_search_that_was_stopped_claims_nothing_and_says_what_is_left():
    found = explore(counter(2, 3), Dfs(), max_executions=100)
    assert (found.exhausted, found.claim, found.ended) == (False, None, "limit of executions")
    assert 0 < found.fraction < 1
    assert found.statement().startswith("Stopped (limit of executions) after 100 executions: about ")


def test_a_limit_that_is_just_enough_is_no_stop():
    found = explore(counter(2, 1), Dpor(), max_executions=4)
    assert (found.exhausted, found.executions, found.fraction) == (True, 4, 1.0)


@pytest.mark.parametrize("make", [Dfs, Dpor, Stateful, lambda: Dfs(bound=3)])
def test_the_explored_fraction_grows_to_one(make):
    strategy = make()
    seen = []
    explore(counter(2, 3), strategy, on_execution=lambda _engine, _status: seen.append(strategy.progress()))
    assert all(0 < value <= 1 + 1e-9 for value in seen)
    assert seen[-1] == pytest.approx(1)
    assert seen[len(seen) // 2] < 1
    if isinstance(strategy, Dfs):  # exact for a tree that does not grow
        assert seen == sorted(seen)


def test_the_estimate_of_what_is_left_is_of_the_right_size():
    found = explore(counter(2, 3), Dfs(), max_executions=462)
    assert 924 / 4 < found.executions + found.left < 924 * 4


def test_time_limit():
    found = explore(counter(2, 8), Dpor(), max_seconds=0.05)
    assert found.ended == "time limit"
    assert found.elapsed < 5


def test_iterative_bounding_keeps_the_levels_it_completed():
    found = explore(counter(2, 3), Icb(), max_executions=70)
    assert found.claim == "all schedules with at most 2 preemptions"
    assert "all schedules with at most 2 preemptions; what is left is not known" in found.statement()


def test_sampling_has_no_end_and_claims_nothing():
    found = explore(counter(2, 1), Pos(), max_executions=30)
    assert (found.exhausted, found.claim, found.fraction) == (False, None, None)


def test_an_execution_that_was_cut_is_not_exhausted():
    def prepare():
        box = Box(stop=False)

        def spin():
            while not access.read(box, "stop", 1).stop:
                access.write(box, "turns", 2).turns = 0

        return [spin]

    ENGINE.max_steps, saved = 200, ENGINE.max_steps
    try:
        found = explore(prepare, Dpor())
    finally:
        ENGINE.max_steps = saved
    assert found.statuses["hang"] == 1
    assert not found.exhausted
    assert "1 that did not end and was cut" in found.statement()


def test_what_no_schedule_decides_is_reported_with_the_step():
    runs = []

    def prepare():
        box = Box(x=0, y=0)
        runs.append(box)
        name = "x" if len(runs) % 2 else "y"  # state that survives an execution

        def body():
            access.read(box, "x", 1)
            access.write(box, name, 2 if name == "x" else 3)

        return [body, body]

    found = explore(prepare, Dpor())
    assert not found.exhausted
    assert found.divergence is not None
    assert found.divergence.step == 1
    assert "leftover state" in found.divergence.cause
    assert "the same schedule did not give the same execution (step 1: expected" in found.statement()


def test_a_schedule_that_cannot_be_followed_is_reported():
    runs = []

    def prepare():
        box = Box(x=0)
        runs.append(box)

        def body():
            for _ in range(2 if len(runs) < 3 else 1):
                access.write(box, "x", 1).x = 1

        return [body, body]

    found = explore(prepare, Dpor(), replay_every=0)
    assert found.divergence is not None
    assert not found.exhausted


def test_replay_repeats_an_execution_exactly():
    explore(locked_counter(2, 2), Pos(seed=5), max_executions=1, replay_every=0)
    recorded, trace = Recorded(ENGINE), list(ENGINE.trace)
    replay = Replay(recorded)
    prefix = replay.next_prefix()
    assert prefix == recorded.schedule
    ENGINE.execute(locked_counter(2, 2), prefix, replay, free=True)
    replay.executed(ENGINE)
    assert ENGINE.trace == trace
    assert replay.divergence is None
    assert replay.next_prefix() is None
    assert replay.exhausted


def test_replay_of_another_program_names_the_difference():
    explore(locked_counter(2, 2), Pos(seed=5), max_executions=1, replay_every=0)
    replay = Replay(Recorded(ENGINE))
    ENGINE.execute(counter(2, 2), replay.next_prefix(), replay, free=True)
    replay.executed(ENGINE)
    assert str(replay.divergence).startswith("step 0: expected thread ")
    assert replay.diverged


def test_every_fiftieth_execution_is_executed_again():
    found = explore(counter(2, 3), Dfs())
    assert found.replays == 1 + 924 // 50


def test_the_collector_is_off_meanwhile_and_on_afterwards():
    states = []
    assert gc.isenabled()
    explore(counter(2, 1), Dpor(), check=lambda _engine: states.append(gc.isenabled()))
    assert states == [False] * 4
    assert gc.isenabled()


def test_fraction_of_a_tree():
    assert fraction([(1, 2), (1, 2)]) == 0.25
    assert fraction([(2, 2), (1, 3)]) == pytest.approx(0.5 + 1 / 6)
    assert fraction([(1, 1), (3, 3)]) == pytest.approx(1)


def test_probes_estimate_the_number_of_schedules():
    estimate = estimate_schedules(counter(2, 3), probes=300, seed=1)
    assert 924 / 2 < estimate.mean < 924 * 2


@pytest.mark.parametrize("gil", [False, True])
def test_a_search_goes_on_behind_a_branch_that_diverged(gil, monkeypatch):
    """What a thread would have done on a diverged branch is not known: it may not be put to sleep by it."""
    monkeypatch.setattr(ENGINE, "gil", gil)
    for which in range(2, 60):
        search, executions, prepare = Dpor(), 0, counter(4, 1)
        while executions < which + 30 and (prefix := search.next_prefix()) is not None:
            ENGINE.execute(prepare, prefix, search, free=search.free)
            executions += 1
            if executions == which:
                ENGINE.status = DIVERGED
            search.executed(ENGINE)
        if executions < which:
            break
        assert search.diverged
        assert not search.exhausted
    assert which > 10


def test_an_error_of_the_search_does_not_look_like_one_of_the_code():
    class Broken(Pos):
        def choose(self, engine, current):
            raise IndexError("on purpose")

    errors = []

    def prepare():
        box = Box(x=0)

        def body():
            try:
                access.write(box, "x", 1).x = 1
            except Exception as error:
                errors.append(error)

        return [body, body]

    with pytest.raises(IndexError, match="on purpose"):
        ENGINE.execute(prepare, (), Broken())
    assert errors == []
