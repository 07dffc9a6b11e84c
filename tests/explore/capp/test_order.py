"""A heuristic changes the order of a search and nothing else."""

import inspect

import pytest

import program_threads
from plait.explore.capp.dpor import CappDpor
from plait.explore.capp.partition import Prioritizer
from plait.explore.capp.pos import CappPos
from plait.explore.capp.search import Capp
from plait.explore.dfs import Dfs
from plait.explore.icb import Icb
from plait.model.choices import HEURISTICS, ORDERED
from plait.observe.recording import count_preemptions
from plait.subject.changes.impact import Impact, class_of
from programs import random_program

LIMIT = 150  # schedules of a program that brute force is given
FILE = program_threads.__file__


def impact_of(seed):
    """Some of what the programs do counts as changed, another part of it for every seed."""
    functions = [
        function
        for number, (_name, function) in enumerate(inspect.getmembers(program_threads.Run, inspect.isfunction))
        if (number + seed) % 3
    ]
    lines = set()
    for function in functions:
        text, first = inspect.getsourcelines(function)
        lines.update((FILE, first + offset) for offset in range(len(text)) if (offset + seed) % 2)
    names = {function.__qualname__ for function in functions}
    return Impact(
        frozenset({"some"}), frozenset(lines), frozenset((FILE, name) for name in names),
        frozenset((FILE, class_of(name)) for name in names),
        frozenset({("Shared", field) for field in ("x", "d", "lock", "event")[seed % 2 :]}),
    )  # fmt: skip


def small_programs(start, count):
    seed = start
    while count:
        program = random_program(seed)
        truth = program.run(Dfs(), LIMIT + 1)
        if truth.exhausted and truth.executions > 3:
            count -= 1
            yield seed, program, truth
        seed += 1


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_no_schedule_is_lost(heuristic):
    postponed = 0
    for seed, program, truth in small_programs(100 * HEURISTICS.index(heuristic), 4):
        for search in ORDERED:
            for order in (None, seed):
                priority = Prioritizer(heuristic, impact_of(seed))
                capp = Capp(search, priority, seed=order)
                found = program.run(capp, 40 * LIMIT)
                assert found.exhausted, (seed, search)
                assert found.outcomes == truth.outcomes, (seed, search)
                if not search.startswith("stateful"):
                    assert found.executions == truth.executions, (seed, search)
                postponed += capp.iterations - 1
    assert postponed or "O" in heuristic  # nearly all operations of these programs have something impacted on the stack


@pytest.mark.parametrize("bound", [0, 1, 2])
def test_no_bounded_schedule_is_lost(bound):
    for seed, program, _truth in small_programs(50 * bound, 6):
        truth = program.run(Icb(bound), LIMIT + 1)
        for heuristic in ("LOA", "FS", "MA"):
            found = program.run(Capp("icb", Prioritizer(heuristic, impact_of(seed)), bound=bound), 40 * LIMIT)
            assert found.exhausted
            assert found.outcomes >= truth.outcomes, (seed, heuristic)
            assert found.executions >= truth.executions
            if heuristic.endswith("S"):  # SOME forces no thread to go on, so no preemption is free
                assert (found.outcomes, found.executions) == (truth.outcomes, truth.executions)


def test_without_a_heuristic_it_is_iterative_context_bounding():
    """The same schedules with never fewer preemptions than the one before."""
    for _seed, program, _truth in small_programs(700, 8):
        orders = []
        for strategy in (Icb(2), Capp("icb", bound=2)):
            executed = []
            program.run(strategy, LIMIT, each=lambda engine, into=executed: into.append(
                (count_preemptions(engine.trace), [entry[0] for entry in engine.trace])
            ))  # fmt: skip
            orders.append(executed)
        assert sorted(orders[0]) == sorted(orders[1])
        prices = [price for price, _schedule in orders[1]]
        assert prices == sorted(prices)


def test_the_same_seed_gives_the_same_order_and_another_one_another():
    (seed, program, _truth), *_ = small_programs(720, 1)

    def order(number):
        traces = []
        strategy = Capp("dfs", Prioritizer("FA", impact_of(seed)), seed=number)
        program.run(strategy, LIMIT, each=lambda engine: traces.append([e[0] for e in engine.trace]))
        return traces

    assert order(1) == order(1)
    assert len({str(order(number)) for number in range(5)}) > 1


@pytest.mark.parametrize("heuristic", ["LOA", "FA", "FS"])
def test_partial_order_reduction_keeps_its_classes(heuristic):
    for seed, program, truth in small_programs(740, 10):
        found = program.run(CappDpor(Prioritizer(heuristic, impact_of(seed))), 40 * LIMIT)
        assert found.exhausted
        assert found.outcomes == truth.outcomes, seed
        assert found.executions <= truth.executions


@pytest.mark.parametrize("heuristic", ["LOA", "FS"])
def test_biased_sampling_shows_nothing_that_brute_force_does_not(heuristic):
    shown = possible = 0
    for seed, program, truth in small_programs(760, 10):
        sampled = program.run(CappPos(Prioritizer(heuristic, impact_of(seed)), seed, bias=0.5), 60)
        assert sampled.outcomes <= truth.outcomes
        shown += len(sampled.outcomes)
        possible += len(truth.outcomes)
    assert shown > 0.7 * possible
