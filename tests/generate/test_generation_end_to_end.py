"""How well whole classes can be driven, with nothing but their path."""

import collections
import queue
import threading

import jinja2.utils
import pytest
import zoo
from sequential import Runner


def drive(strategy, count=60):
    tests = []
    while len(tests) < count and (test := strategy.next_test()) is not None:
        tests.append(test)
        strategy.feedback(test, {})
    return tests


@pytest.mark.parametrize("name", ["random", "covcon"])
@pytest.mark.parametrize(
    "cls",
    [*zoo.ALL, collections.OrderedDict, collections.deque, jinja2.utils.LRUCache],
    ids=lambda cls: getattr(cls, "__name__", cls),
)
def test_generated_prefixes_run_without_raising(cls, name, strategy_of):
    tests = drive(strategy_of(cls, name))
    assert len(tests) >= 15
    runner = Runner()
    clean = sum(all(each.status == "ok" for each in runner(_prefix_only(test))) for test in tests)
    assert clean >= 0.9 * len(tests)


@pytest.mark.parametrize("cls", [zoo.Cache, zoo.Limiter, zoo.Emitter, collections.OrderedDict, jinja2.utils.LRUCache])
def test_most_suffix_calls_succeed_and_some_raise_nothing_but_state_errors(cls, strategy_of):
    outcomes = []
    runner = Runner()
    for test in drive(strategy_of(cls)):
        for suffix in test.suffixes:
            outcomes += runner(_prefix_only(test, suffix))[len(test.prefix) :]
    succeeded = sum(each.status == "ok" for each in outcomes)
    misused = sum(each.misuse for each in outcomes)
    assert succeeded >= 0.75 * len(outcomes)
    assert misused <= 0.03 * len(outcomes)


def test_every_method_that_can_succeed_does(strategy_of):
    strategy = strategy_of(collections.OrderedDict)
    drive(strategy)
    records = strategy._sequences.knowledge.records
    failed = {name for name, record in records.items() if not record.succeeded}
    assert failed == set()


@pytest.mark.parametrize("cls", [queue.Queue, threading.Event, threading.Semaphore, zoo.Mailbox])
def test_classes_whose_methods_wait(cls, strategy_of):
    runner = Runner(patience=0.05)
    tests = drive(strategy_of(cls, runner=runner), 24)
    assert len(tests) == 24
    assert sum(all(each.status == "ok" for each in runner(_prefix_only(test))) for test in tests) >= 0.9 * 24


def _prefix_only(test, more=()):
    return type(test)(test.imports, (*test.prefix, *more), ())
