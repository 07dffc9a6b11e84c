"""Differences that one thread is enough for, and changes that are none."""

import pytest

COUNTER = """
    class Counter:
        def __init__(self):
            self._count = 0

        def add(self, amount):
            self._count = self._count + amount
            return self._count

        def get(self):
            return self._count
    """


def test_a_different_result_is_a_sequential_difference_with_its_own_test(compare):
    new = COUNTER.replace("self._count + amount", "self._count + 2 * amount")
    result = compare(COUNTER, new, "Counter", tests=40)
    assert result.verdict == "sequential-difference"
    assert result.findings == []
    example = result.as_json()["sequential"][0]
    assert "add" in example["call"]
    assert example["old"] != example["new"]
    assert example["test"]["prefix"][0].startswith("x = Counter(")
    assert result.stats["tests_sequentially_different"] > 0


def test_an_exception_in_one_version_is_a_sequential_difference(compare):
    new = COUNTER.replace("self._count = self._count + amount", "self._count = self._count + amount / 0")
    result = compare(COUNTER, new, "Counter", tests=40)
    assert result.verdict == "sequential-difference"
    assert result.as_json()["sequential"][0]["new"] == "raises ZeroDivisionError"


def test_a_public_attribute_that_one_thread_leaves_different_is_a_sequential_difference(compare):
    old = """
    class Meter:
        def __init__(self):
            self.value = 0
            self.seen = [0]

        def bump(self):
            self.value = self.value + 1
            self.seen = [self.value]
    """
    result = compare(old, old.replace("self.value + 1", "self.value + 2"), "Meter", tests=20)
    assert (result.verdict, result.findings) == ("sequential-difference", [])
    example = result.as_json()["sequential"][0]
    calls = len(example["test"]["prefix"]) - 1 + sum(map(len, example["test"]["suffixes"]))
    assert (example["call"], example["old"], example["new"]) == ("x.value", f"is {calls}", f"is {2 * calls}")
    kept = compare(old, old.replace("[self.value]", "(self.value,)"), "Meter", tests=20)
    assert kept.verdict in ("none", "inconclusive")  # a list that became a tuple


@pytest.mark.parametrize(
    "new",
    [
        COUNTER.replace("_count", "_total"),
        COUNTER.replace("self._count = 0", "self._count = 0\n            self._created = 1"),
        # The same behaviour, differently represented: what further calls answer stands for the state.
        """
        class Counter:
            def __init__(self):
                self._count = []

            def add(self, amount):
                self._count = [sum(self._count) + amount]
                return self._count[0]

            def get(self):
                return sum(self._count)
        """,
    ],
    ids=["an attribute renamed", "an attribute added", "another representation"],
)
def test_a_change_of_representation_is_no_difference(compare, new):
    result = compare(COUNTER, new, "Counter", tests=60)
    assert (result.verdict, result.stats["tests_sequentially_different"]) == ("none", 0)
    assert result.stats["tests_generated"] == 60


def test_results_that_no_schedule_decides_are_left_out(compare):
    random = """
    import random

    class Dice:
        def __init__(self):
            self.rolls = 0

        def roll(self):
            self.rolls = self.rolls + 1
            return random.random()
    """
    result = compare(random, random.replace("self.rolls + 1", "1 + self.rolls"), "Dice", tests=10)
    assert result.verdict == "none"
    assert result.stats["checks"] > 0


def test_a_difference_in_one_method_does_not_hide_the_one_between_threads(compare):
    old = """
    import threading

    class Account:
        def __init__(self):
            self._lock = threading.Lock()
            self.balance = 0

        def deposit(self, amount: int):
            with self._lock:
                self.balance = self.balance + amount

        def name(self):
            return "old"
    """
    new = old.replace("with self._lock:", "if True:").replace('"old"', '"new"')
    result = compare(old, new, "Account")
    assert result.verdict == "difference"
    assert result.as_json()["sequential"]
    assert result.findings[0].methods == ["Account.deposit"]


def test_an_object_that_is_made_otherwise_in_one_version_is_not_given(compare):
    old = """
        class StockLedger:
            def __init__(self, size):
                self.size = size

            def book(self):
                return 1

        class Counter:
            def __init__(self, ledger=None):
                self._ledger = ledger
                self._count = 0

            def add(self, ledger):
                self._count = self._count + 1
                return self._count

            def sum(self):
                return self._ledger.book() + self._ledger.size if self._ledger else 0
        """
    new = old.replace("self, size):", "self, size, name):").replace("self._count + 1", "1 + self._count")
    result = compare(old, new, "Counter", tests=60)
    assert result.verdict == "none"
    assert result.stats["tests_sequentially_different"] == 0
    assert result.stats["tests_generated"] == 60
