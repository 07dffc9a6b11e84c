"""Searches that draw, and the one that mixes them with a systematic one: what they reach, how evenly, at what cost."""

from collections import Counter
from itertools import pairwise

import pytest
from subjects import Box, counter, locked_counter, lost_wakeup, philosophers

from plait.explore import rff
from plait.explore.capp.search import Capp
from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.explore.period import Period
from plait.explore.portfolio import ALONE, Portfolio
from plait.explore.pos import Pos
from plait.explore.rff import Rff
from plait.explore.runner import explore, model
from plait.explore.surw import Surw
from plait.run.engine import ENGINE
from plait.run.hooks import access
from programs import mazurkiewicz_class, random_program


def seen_by(prepare, strategy, executions):
    """The schedule of each execution."""
    schedules = []

    def look(engine, _status):
        schedules.append(tuple(entry[0] for entry in engine.trace))

    explore(prepare, strategy, max_executions=executions, replay_every=0, on_execution=look)
    return schedules


def classes_of(program, strategy, limit):
    classes = set()
    search = program.run(strategy, limit, each=lambda engine: classes.add(mazurkiewicz_class(engine)))
    return classes, search


def small_programs(count, most):
    """Random programs with more than one class and few of them, with what brute force shows of them."""
    seed = 0
    while count:
        program = random_program(seed)
        classes, truth = classes_of(program, Dfs(), 200)
        if truth.exhausted and 1 < len(classes) <= most:
            yield seed, program, classes, truth
            count -= 1
        seed += 1


class PlainPos:
    """Partial-order sampling as it is defined: forget what the last steps have decided, draw, take the highest."""

    def __init__(self, seed):
        self._pos = Pos(seed)

    def __getattr__(self, name):
        return getattr(self._pos, name)

    def choose(self, engine, current):
        self._pos._redraw(engine)
        return max(engine.enabled, key=lambda number: (self._pos._urgency(number), -number))


@pytest.mark.parametrize("gil", [False, True])
def test_the_quick_way_to_sample_draws_what_the_plain_one_draws(gil):
    """Of steps of one operation and of several, of threads that wait, on random programs."""
    for seed in range(40):
        program = random_program(seed)
        quick, plain = [], []
        with model(gil=gil):
            for found, strategy in ((quick, Pos(seed)), (plain, PlainPos(seed))):
                program.run(strategy, 20, each=lambda engine, found=found: found.append(list(engine.trace)))
        assert [[entry[:4] for entry in trace] for trace in quick] == [
            [entry[:4] for entry in trace] for trace in plain
        ]
        assert quick


# -- samplers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Rff, Period, Surw])
def test_samplers_reach_every_class_of_small_programs(make):
    for seed, program, classes, truth in small_programs(15, 12):
        left, strategy = set(classes), make(seed=seed)
        for _ in range(30):
            reached, sampled = classes_of(program, strategy, 100)
            left -= reached
            assert sampled.outcomes <= truth.outcomes
            if not left:
                break
        assert not left, f"program {seed}: {len(left)} of {len(classes)} classes were not reached"


def writers(lengths):
    def prepare():
        box = Box(n=0)

        def body(times):
            for value in range(times):
                access.write(box, "n", 1).n = value

        return [lambda times=times: body(times) for times in lengths]

    return prepare


@pytest.mark.parametrize("lengths", [(3, 3), (1, 5), (2, 2, 1)])
def test_the_uniform_walk_is_uniform(lengths):
    """Behind the execution that measures, every interleaving is as likely as any other."""
    samples = 3_000
    counts = Counter(seen_by(writers(lengths), Surw(seed=4), samples + 1)[1:])
    possible = len(seen_by(writers(lengths), Dfs(), 1_000))
    assert len(counts) == possible
    expected = samples / possible
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 2 * possible + 20


def reorder(setters):
    def prepare():
        box = Box(a=0, b=0)
        wrong = reorder.wrong = []

        def setter():
            access.write(box, "a", 1).a = 1
            access.write(box, "b", 2).b = 1

        def checker():
            first = access.read(box, "a", 3).a
            second = access.read(box, "b", 4).b
            if first != second and first:
                wrong.append(1)

        return [*[setter] * setters, checker]

    return prepare


@pytest.mark.parametrize("make", [Rff, Period])
def test_many_threads_are_no_harder_than_few(make):
    def needed(setters):
        costs = []
        for seed in range(5):
            found = explore(reorder(setters), make(seed=seed), max_executions=400, replay_every=0,
                            on_execution=lambda *_: bool(reorder.wrong))  # fmt: skip
            assert found.ended == "as asked"
            costs.append(found.executions)
        return sorted(costs)[2]

    assert needed(60) <= 10 * needed(3)


def test_a_constraint_is_followed():
    """A reading that shall see the second write does, and one that shall not does not."""
    strategy = Rff(seed=1)
    seen_by(reorder(3), strategy, 12)
    pairs = list(strategy._pairs)
    for positive in (True, False):
        for pair in pairs:
            strategy._changed = lambda pair=pair, positive=positive: (rff.Constraint(*pair, positive),)
            strategy._executions = 0
            shown = []
            explore(reorder(3), strategy, max_executions=1, replay_every=0,
                    on_execution=lambda *_, shown=shown: shown.extend(strategy._shown))  # fmt: skip
            assert (pair in shown) == positive


def test_the_memory_of_a_sampler_has_a_limit(monkeypatch):
    monkeypatch.setattr(rff, "MOST_KEPT", 8)
    monkeypatch.setattr(rff, "MOST_PAIRS", 6)
    strategy = Rff(seed=2)
    seen_by(counter(4, 6), strategy, 300)
    assert len(strategy._kept) <= 8
    assert len(strategy._pairs) <= 6
    assert len(strategy._signatures) <= 6


def test_periods_grow_when_nothing_new_comes():
    strategy = Period(seed=0)
    schedules = seen_by(counter(2, 1), strategy, 400)
    assert strategy.periods > 3
    assert set(schedules) == set(seen_by(counter(2, 1), Dfs(), 1_000))


def test_a_period_gives_every_thread_its_share():
    """All threads are cut after their first step: then all first steps come before any second one."""
    lengths = (3, 3, 3)
    schedules = seen_by(writers(lengths), Period(seed=0), 2)
    assert sorted(schedules[1][:3]) == sorted(set(schedules[1]))


# -- the portfolio -----------------------------------------------------------------------------------------------------


def test_the_portfolio_ends_where_the_reduction_does():
    """What it shows at its end is what brute force shows, and it needs a few times what the reduction needs."""
    for seed, program, _classes, truth in small_programs(40, 60):
        reduced = program.run(Dpor(), 10_000)
        mixed = program.run(Portfolio(seed), 10_000)
        assert mixed.exhausted
        assert mixed.outcomes == truth.outcomes
        assert mixed.executions <= 4 * reduced.executions + 10


@pytest.mark.parametrize("seed", [0, 1])
def test_the_portfolio_depends_on_the_seed_alone(seed):
    again = [seen_by(counter(3, 2), Portfolio(seed), 60) for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] != seen_by(counter(3, 2), Portfolio(seed + 1), 60)


def test_the_first_execution_is_the_plain_one():
    [plain] = seen_by(locked_counter(3, 2), Portfolio(5), 1)
    assert sum(first != second for first, second in pairwise(plain)) == 2


def test_more_and_more_goes_to_a_reduction_whose_end_is_in_sight():
    strategy, systematic = Portfolio(0), Dpor()
    mixed = len(seen_by(counter(3, 2), strategy, 20_000))
    alone = len(seen_by(counter(3, 2), systematic, 20_000))
    assert strategy.exhausted
    assert strategy.claim == "all classes of equivalent schedules"
    assert mixed < 2 * alone


def test_a_heuristic_has_the_first_executions_for_itself():
    def own(strategy, executions):
        return seen_by(counter(3, 3), strategy, executions)

    systematic = own(Capp("delay", bound=2), ALONE)
    assert own(Portfolio(0, Capp("delay", bound=2)), ALONE) == systematic
    mixed = Portfolio(0, Capp("delay", bound=2))
    assert len(set(own(mixed, ALONE + 200)) - set(own(Capp("delay", bound=2), ALONE + 200))) > 20
    assert mixed.bound == 2


@pytest.mark.parametrize(("gil", "prepare"), [(False, lost_wakeup(waiter_first=False)), (True, philosophers(2))])
def test_the_portfolio_finds_deadlocks_in_both_models(gil, prepare):
    ENGINE.gil = gil
    try:
        found = explore(prepare, Portfolio(1))
    finally:
        ENGINE.gil = False
    assert found.exhausted
    assert found.statuses["deadlock"] >= 1
