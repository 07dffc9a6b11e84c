"""Tests of many methods at once, while pairs have never met."""

import collections
import queue
from random import Random

import zoo
from sequential import Runner

from plait.generate.mixing import MixedTests, is_wide
from plait.generate.pairs import PairTable, pair
from plait.generate.registry import make_generator
from plait.generate.sequence import Sequences
from plait.model.test import MAX_ORDERS, count_orders


def mixed(catalogue, pairs, seed=0):
    random = Random(seed)
    return MixedTests(Sequences(catalogue, Runner(), random), random, pairs)


def across(test):
    one, two = test.suffixes
    return {pair(first.method, second.method) for first in one for second in two}


def test_wide_tests_have_pairs_that_have_not_met_and_end_when_few_are_left(catalogue_of):
    catalogue = catalogue_of(zoo.Cache)
    pairs = PairTable(each.name for each in catalogue.methods)
    made = mixed(catalogue, pairs)
    asked = tests = 0
    while asked < 300:
        asked += 1
        test = made.next_test()
        if test is None:
            continue
        tests += 1
        assert any(not pairs.records[each].covered for each in across(test))
        pairs.add_coverage(dict.fromkeys(across(test), 1))
    met = sum(record.covered > 0 for record in pairs.records.values())
    assert met >= 0.8 * len(pairs.records)
    assert tests < len(pairs.records) / 4  # a test for each pair would take four times as many


def test_most_pairs_of_a_large_class_are_in_its_first_wide_tests(catalogue_of):
    catalogue = catalogue_of(collections.OrderedDict)
    pairs = PairTable(each.name for each in catalogue.methods)
    made = mixed(catalogue, pairs)
    for _ in range(20):
        test = made.next_test()
        if test is not None:
            pairs.add_coverage(dict.fromkeys(across(test), 1))
            assert count_orders([len(suffix) for suffix in test.suffixes]) <= MAX_ORDERS
    assert len(pairs.records) > 200
    assert pairs.covered >= 0.8 * len(pairs.records)


def test_a_class_whose_calls_wait_gets_wide_tests_too(catalogue_of):
    strategy = make_generator("covcon", catalogue_of(queue.Queue), Runner(patience=0.05), deeper=True)
    tests = [strategy.next_test() for _ in range(16)]
    assert sum(is_wide(call.method for call in test.calls) for test in tests) >= 2


def test_pairs_that_never_meet_are_left_to_others(catalogue_of):
    catalogue = catalogue_of(zoo.Cache)
    made = mixed(catalogue, PairTable(each.name for each in catalogue.methods))
    assert sum(made.next_test() is not None for _ in range(400)) < 100


def test_a_share_of_the_pairs_counts_what_it_covers_of_the_others():
    pairs = PairTable("abc")
    pairs.share(0, 2)
    assert list(pairs.records) == [("a", "a"), ("a", "b"), ("a", "c"), ("c", "c")]
    pairs.add_coverage({("b", "b"): 2, ("a", "c"): 1, ("a", "nothing"): 1})
    rows = {tuple(row["methods"]): (row["tried"], row["covered"]) for row in pairs.matrix()}
    assert rows == {("a", "a"): (0, 0), ("a", "b"): (0, 0), ("a", "c"): (0, 1), ("c", "c"): (0, 0), ("b", "b"): (0, 2)}


def test_each_pair_is_in_one_share():
    tables = [PairTable("abcdefg") for _ in range(4)]
    for number, table in enumerate(tables):
        table.share(number, 4)
    shared = [each for table in tables for each in table.records]
    assert sorted(shared) == sorted(PairTable("abcdefg").records)
    assert min(len(table.records) for table in tables) >= 4


def test_a_class_of_many_methods_gets_two_calls_against_many(catalogue_of):
    catalogue = catalogue_of(zoo.Cache)
    many = {pair(one, two) for one in "abcdefghij" for two in "klmnopqrst"}
    pairs = PairTable(each.name for each in catalogue.methods)
    chosen = mixed(catalogue, pairs)._chosen(many, (2, 16))
    assert [len(side) for side in chosen] == [2, 10]
    assert {pair(one, two) for one in chosen[0] for two in chosen[1]} <= many


def test_what_counts_as_wide():
    assert not is_wide(["get", "put"] * 5)
    assert is_wide("abcde")
