import os
import subprocess
import sys
from pathlib import Path

import pytest
import zoo
from sequential import Runner

from plait.errors import UsageError
from plait.generate.catalogue import Hints
from plait.generate.registry import make_generator
from plait.model.choices import GENERATORS
from plait.model.test import MAX_ORDERS, MOST_THREADS, count_orders


def take(strategy, count, coverage=None):
    found = []
    for _ in range(count):
        test = strategy.next_test()
        if test is None:
            break
        found.append(test)
        strategy.feedback(test, coverage or {})
    return found


def focus(test):
    return tuple(sorted({call.method for call in test.calls}))


@pytest.mark.parametrize("name", ["random", "covcon"])
def test_same_seed_same_tests_and_another_seed_others(name, strategy_of):
    first = take(strategy_of(zoo.Cache, name, seed=5), 30)
    assert len(first) == 30
    assert take(strategy_of(zoo.Cache, name, seed=5), 30) == first
    assert take(strategy_of(zoo.Cache, name, seed=6), 30) != first


PROGRAM = """
import sys; sys.path.insert(0, sys.argv[1])
import zoo
from sequential import Runner
from plait.generate.catalogue import build_catalogue
from plait.generate.registry import make_generator
from plait.subject.interface.discovery import discover
strategy = make_generator("covcon", build_catalogue(zoo.Limiter, discover(zoo.Limiter, name="zoo:Limiter")), Runner())
for _ in range(20):
    print(strategy.next_test().as_json())
"""


def test_tests_do_not_depend_on_the_hash_seed():
    def printed(hash_seed):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert printed("1") == printed("2") != ""


def test_covcon_tries_every_pair_before_any_twice(strategy_of):
    strategy = strategy_of(zoo.Limiter)
    pairs = set(strategy.pairs.records)
    assert len(pairs) == 6
    seen = []
    while len(seen) < 6:
        test = strategy.next_test()
        methods = focus(test)
        pair = methods if len(methods) == 2 else methods * 2
        if pair not in seen:
            seen.append(pair)
    assert set(seen) == pairs
    assert max(record.tried for record in strategy.pairs.records.values()) == 1


def test_covcon_alternates_in_both_threads(strategy_of):
    for test in take(strategy_of(zoo.Cache), 40):
        first, second = ([call.method for call in suffix] for suffix in test.suffixes)
        both = [*dict.fromkeys([*first, *second])]
        one, other = both if len(both) == 2 else both * 2
        assert first == [(one, other)[step % 2] for step in range(len(first))]
        assert second == [(other, one)[step % 2] for step in range(len(second))]


def test_covcon_makes_two_prefixes_per_selection_and_longer_suffixes_later(strategy_of):
    strategy = strategy_of(zoo.Cache, hints=Hints(exclude=("take", "__len__", "__contains__", "get")))
    tests = take(strategy, 12)
    assert list(strategy.pairs.records) == [("put", "put")]
    assert [len(test.suffixes[0]) for test in tests] == [2] * 5 + [5] * 7
    assert [len(test.prefix) == 1 for test in tests[::2]] == [True] * 6
    assert any(len(test.prefix) > 1 for test in tests[1::2])
    assert strategy.pairs.records["put", "put"].tried == 6
    assert strategy.pairs.records["put", "put"].tests == 12


def test_covcon_prefers_pairs_by_score(strategy_of):
    strategy = strategy_of(zoo.Limiter, repeat=True)
    for record in strategy.pairs.records.values():
        record.tried, record.covered = 2, 40
    for record_of in (("hit", "merge"), ("hit", "hit")):
        strategy.pairs.records[record_of].covered = 2
    assert {focus(test) for test in take(strategy, 4)} == {("hit", "merge"), ("hit",)}


def test_covcon_more_threads(strategy_of):
    test = strategy_of(zoo.Cache, threads=4).next_test()
    assert len(test.suffixes) == 4
    starts = [suffix[0].method for suffix in test.suffixes]
    assert starts[0] == starts[2]
    assert starts[1] == starts[3]


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("threads", range(2, MOST_THREADS + 1))
def test_a_test_of_many_threads_has_few_enough_orders_to_be_judged(strategy_of, name, threads):
    strategy = strategy_of(zoo.Cache, name, threads=threads)
    lengths = [[len(suffix) for suffix in test.suffixes] for test in take(strategy, 40)]
    assert max(map(len, lengths)) == threads
    assert max(map(count_orders, lengths)) <= MAX_ORDERS


def test_feedback_counts_coverage(strategy_of):
    strategy = strategy_of(zoo.Counter)
    strategy.feedback(strategy.next_test(), {("increment", "read"): 3, ("_x", "read"): 9})
    assert strategy.pairs.records["increment", "read"].covered == 3
    assert strategy.pairs.covered == 1


def test_no_test_comes_twice_and_the_end_is_said(strategy_of):
    strategy = strategy_of(zoo.Counter, hints=Hints(exclude=("increment", "decrement")))
    tests = take(strategy, 100)
    assert len(set(tests)) == len(tests) < 100
    assert strategy.next_test() is None


def test_repeating_is_possible_for_uncontrolled_runs(strategy_of):
    strategy = strategy_of(zoo.Counter, repeat=True, hints=Hints(exclude=("increment", "decrement")))
    tests = take(strategy, 60)
    assert len(tests) == 60
    assert len(set(tests)) < 60


@pytest.mark.parametrize("name", ["random", "covcon"])
def test_pairs_that_must_not_run_in_parallel_do_not(name, strategy_of):
    strategy = strategy_of(zoo.Cache, name, hints=Hints(not_parallel=(("put", "take"),)))
    assert ("put", "take") not in strategy.pairs.records
    for test in take(strategy, 40):
        first, second = ({call.method for call in suffix} for suffix in test.suffixes)
        assert not ("put" in first and "take" in second)
        assert not ("take" in first and "put" in second)


class Apart:
    """`Meetings` that keep two methods apart from all but themselves."""

    def __init__(self):
        self.looked = {}

    def look(self, method, alone):
        self.looked[method] = list(alone)

    def knows(self, method):
        return method in self.looked

    def may_meet(self, first, second):
        return first == second


def test_covcon_puts_pairs_aside_that_cannot_meet(catalogue_of):
    meetings = Apart()
    catalogue = catalogue_of(zoo.Cache)
    strategy = make_generator("covcon", catalogue, Runner(), repeat=True, meetings=meetings)
    tests = take(strategy, 80)
    alone = [len(focus(test)) == 1 for test in tests]
    assert 0.7 < sum(alone) / len(alone) < 0.85  # three selections of four
    assert {focus(test) for test in tests if len(focus(test)) == 1} == {(method.name,) for method in catalogue.methods}
    assert meetings.looked.keys() == {method.name for method in catalogue.methods}
    for method, alone in meetings.looked.items():
        assert alone
        assert all([call.method for call in test.calls] == [method] for test in alone)
        assert all(len(test.suffixes) == 1 for test in alone)


def test_unknown_strategy(catalogue_of):
    with pytest.raises(UsageError, match="unknown way to generate tests: magic"):
        make_generator("magic", catalogue_of(zoo.Counter), lambda test: [])
