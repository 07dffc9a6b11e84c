"""Performance tests for classes that are written here, run one call after another in this process."""

import queue
import random
import sys
import threading
import types

import pytest

from plait.generate.catalogue import build_catalogue
from plait.generate.perf import PerformanceTests
from plait.generate.sequence import Sequences
from plait.run.native.author import run_natively
from plait.subject.interface.discovery import discover


class Shop:
    def __init__(self):
        self.stock = {}

    def put(self, key: str, amount: int):
        self.stock[key] = self.stock.get(key, 0) + amount

    def count(self, key: str):
        return self.stock.get(key, 0)

    def names(self):
        return list(self.stock)

    def refuse(self):
        raise ValueError("never")


class Stack:
    def __init__(self):
        self.items = []

    def push(self, value: int):
        self.items.append(value)

    def pop(self):
        return self.items.pop()


class Gate:
    def __init__(self):
        self.permits = threading.Semaphore(0)

    def enter(self):
        self.permits.acquire()

    def let(self):
        self.permits.release()


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    module = types.ModuleType("perf_zoo")
    for cls in (Shop, Stack, Gate):
        monkeypatch.setattr(cls, "__module__", "perf_zoo")
        setattr(module, cls.__name__, cls)
    monkeypatch.setitem(sys.modules, "perf_zoo", module)


def generator(cls, focus=(), seed=0):
    name = f"{cls.__module__}:{cls.__qualname__}"
    chance = random.Random(seed)
    catalogue = build_catalogue(cls, discover(cls, name=name), seed=seed)
    return PerformanceTests(Sequences(catalogue, run_natively, chance), run_natively, chance, focus=focus)


def some(cls, count=6, focus=(), seed=0, calls=12):
    made = generator(cls, focus, seed)
    return [made.next_test(calls, 4) for _ in range(count)]


def test_tests_have_the_asked_number_of_suffixes_and_calls():
    for test in some(Shop):
        assert len(test.suffixes) == 4
        assert all(10 <= len(suffix) <= 14 for suffix in test.suffixes)


def test_focus_methods_are_in_every_test_and_mostly_alone():
    tests = some(Shop, 9, focus=["count"])
    names = [[call.method for call in test.calls] for test in tests]
    assert all(each.count("count") / len(each) >= 0.7 for each in names)
    assert sum(set(each) == {"count"} for each in names) >= 6
    assert any({"put", "names"} & set(each) for each in names)


def test_without_focus_all_methods_get_their_turn():
    called = {call.method for test in some(Shop, 9) for call in test.calls}
    assert {"put", "count", "names"} <= called


def test_a_method_that_always_raises_is_left_out():
    assert all(call.method != "refuse" for test in some(Shop, 9) for call in test.calls)


def test_a_focus_of_methods_that_cannot_be_called_gives_no_test():
    assert generator(Shop, focus=["refuse"]).next_test(10, 2) is None


def test_methods_to_do_without_are_not_called():
    made = generator(Shop)
    assert all(call.method != "put" for _ in range(6) for call in made.next_test(8, 2, without=["put"]).calls)


@pytest.mark.parametrize(("cls", "taker", "giver"), [(Stack, "pop", "push"), (Gate, "enter", "let")])
def test_what_takes_comes_after_what_gives(cls, taker, giver):
    for test in some(cls, 4, focus=[taker]):
        for suffix in test.suffixes:
            left = 0
            for call in suffix:
                left += {giver: 1, taker: -1}.get(call.method, 0)
                assert left >= 0
            assert any(call.method == taker for call in suffix)


def test_suffixes_can_be_repeated():
    import dataclasses

    for test in some(queue.Queue, 4, focus=["get", "put"]):
        for suffix in test.suffixes:
            calls = (*test.prefix, *suffix * 10)
            outcomes = run_natively(dataclasses.replace(test, prefix=calls, suffixes=()))
            assert [each.status for each in outcomes[len(test.prefix) :]] == ["ok"] * (10 * len(suffix))


class Closing:
    """A method that goes well again and again, after which the others do not."""

    def __init__(self):
        self.open = True

    def write(self, text: str) -> None:
        if not self.open:
            raise ValueError("closed")

    def read(self) -> str:
        if not self.open:
            raise ValueError("closed")
        return ""

    def close(self) -> None:
        self.open = False


def test_a_method_that_closes_the_object_is_not_called_beside_others():
    for seed in range(4):
        for test in some(Closing, 6, focus=["read", "write"], seed=seed):
            methods = {call.method for call in (*test.prefix, *test.calls)}
            assert "close" not in methods
            assert methods & {"read", "write"}


def test_the_same_seed_gives_the_same_tests():
    assert some(Shop, 5, seed=3) == some(Shop, 5, seed=3)
    assert some(Shop, 5, seed=3) != some(Shop, 5, seed=4)
