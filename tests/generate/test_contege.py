"""ConTeGe's tests: suffixes of two calls that all meet each other behind one prefix."""

import pickle
from itertools import islice

import zoo
from sequential import Runner

from plait.generate.catalogue import Hints
from plait.generate.contege import SUFFIXES


def made_by(strategy):
    return iter(strategy.next_test, None)


def sources(suffix):
    return tuple(call.source for call in suffix)


def by_prefix(tests):
    """The suffixes of the tests, one list of tests for each constructor call and what is called on it."""
    found = {}
    for test in tests:
        prefix = tuple(call.source for call in test.prefix if call.method != "argument")
        found.setdefault(prefix, []).append(tuple(sources(suffix) for suffix in test.suffixes))
    return found


def test_two_calls_in_each_thread(strategy_of):
    tests = list(islice(made_by(strategy_of(zoo.Cache, "random")), 60))
    assert {len(suffix) for test in tests for suffix in test.suffixes} == {2}
    assert len({call.method for test in tests for call in test.calls}) == 5


def test_each_new_suffix_meets_itself_and_all_earlier_ones(strategy_of):
    tests = list(islice(made_by(strategy_of(zoo.Cache, "random", repeat=True)), 15))
    (pairs,) = by_prefix(tests).values()
    known = []
    while pairs:
        known.append(pairs[0][0])
        assert pairs[: len(known)] == [(known[-1], other) for other in known]
        pairs = pairs[len(known) :]
    assert len(known) == len(set(known)) == 5


def test_it_starts_over_with_another_prefix(strategy_of):
    rounds = 4
    most = sum(range(SUFFIXES[0] + 1))
    tests = list(islice(made_by(strategy_of(zoo.Cache, "random", repeat=True)), rounds * most))
    groups = by_prefix(tests)
    assert len(groups) >= rounds - 1  # two rounds may begin alike
    assert all(len(pairs) <= 2 * most for pairs in groups.values())


def test_arguments_that_suffixes_share_keep_their_names_apart(strategy_of):
    shared = 0
    for test in islice(made_by(strategy_of(zoo.Emitter, "random")), 80):
        bound = [call.result for call in test.prefix if call.result is not None]
        assert len(bound) == len(set(bound))
        used = {each for call in test.calls for each in call.args if each[:1] == "a" and each[1:].isdecimal()}
        assert used <= set(bound)
        shared += bool(used)
    assert shared


def test_more_threads(strategy_of):
    tests = list(islice(made_by(strategy_of(zoo.Cache, "random", threads=3)), 20))
    assert {len(test.suffixes) for test in tests} == {3}
    assert any(len(set(map(sources, test.suffixes))) == 3 for test in tests)


def test_a_share_of_the_pairs_is_no_limit(strategy_of):
    """Which pairs a worker answers for is about counting: its tests may hold others, but no forbidden ones."""
    strategy = strategy_of(zoo.Cache, "random", hints=Hints(not_parallel=(("put", "put"),)))
    for pair in [pair for pair in strategy.pairs.records if "get" not in pair]:
        del strategy.pairs.records[pair]
    tests = list(islice(made_by(strategy), 40))
    assert any(all(call.method != "get" for call in test.calls) for test in tests)
    for test in tests:
        assert not all("put" in {call.method for call in suffix} for suffix in test.suffixes)


def test_it_travels(strategy_of):
    strategy = strategy_of(zoo.Cache, "random", runner=Runner())
    first = list(islice(made_by(strategy), 7))
    again = pickle.loads(pickle.dumps(strategy))
    assert list(islice(made_by(again), 20)) == list(islice(made_by(strategy), 20))
    assert len(first) == 7
