"""What is discarded without a look at its interleavings: proofs, held against brute force on random programs."""

import pytest

import lab as lab_module
from benchmarks.filter import bench

SOURCE = """
import threading

class Subject:
    def __init__(self):
        self._a = self._b = self._c = self.shown = 0
        self._lock, self._other = threading.Lock(), threading.Lock()
        self._condition = threading.Condition()
        self._event = threading.Event()
        self._gate = threading.Semaphore(1)

    def both(self):
        with self._lock:
            self._a += 1
            self._b += 1

    def split(self):
        with self._lock:
            self._a += 1
        with self._lock:
            self._b += 1

    def sum(self):
        with self._lock:
            return self._a + self._b

    def checked(self):
        if self._a == 0:
            with self._lock:
                self._a += 1

    def late(self):
        with self._lock:
            self._a += 1
        self._b += 1

    def nested(self):
        with self._lock, self._other:
            self._a += 1

    def swapped(self):
        with self._other, self._lock:
            self._a += 1

    def single(self):
        self._c = 5

    def look(self):
        return self._c

    def looks(self):
        return self._c, self._c

    def tried(self):
        if self._lock.acquire(blocking=False):
            self._lock.release()
            return True
        return False

    def get(self):
        with self._condition:
            while not self._c:
                self._condition.wait()
            return self._c

    def put(self):
        with self._condition:
            self._c = 1
            self._condition.notify()

    def show(self):
        with self._lock:
            self.shown = 1
            self.shown = 2

    def show_once(self):
        with self._lock:
            self.shown = 1

    def gated(self):
        with self._gate:
            self._a += 1

    def set(self):
        self._event.set()

    def is_set(self):
        return self._event.is_set()

    def elsewhere(self):
        with self._other:
            return 1
"""


@pytest.mark.parametrize(
    ("calls", "proven"),
    [
        ("both both", True), ("both sum", True), ("both both sum", True), ("nested nested", True),
        ("single look", True), ("show_once sum", True), ("both single", True), ("nested elsewhere", True),
        ("set is_set", True),
        ("split split", False), ("split sum", False), ("checked checked", False), ("late late", False),
        ("nested swapped", False), ("single looks", False), ("both tried", False), ("get put", False),
        ("show sum", False), ("gated gated", False), ("single single look", False),
    ],
)  # fmt: skip
def test_what_is_proven_from_the_orders_of_whole_calls(lab, calls, proven):
    suffixes = [[f"x.{name}()"] for name in calls.split()]
    seen = lab(lab_module.observed, SOURCE, ["x = Subject()"], suffixes)
    assert seen.serializable is proven
    if proven:
        outcomes, complete, _executions = lab(
            lab_module.outcomes, SOURCE, ["x = Subject()"], suffixes, brute_force=True
        )
        assert complete
        assert outcomes == {outcome for _order, outcome in seen.orders}


@pytest.mark.parametrize(
    ("calls", "meet"),
    [
        ("set is_set", True), ("is_set is_set", False), ("both elsewhere", False), ("show_once both", False),
        ("nested elsewhere", True), ("nested swapped", True), ("tried show_once", True), ("gated gated", True),
        ("put single", True), ("get both", True), ("single both", False),
    ],
)  # fmt: skip
def test_operations_on_locks_belong_to_footprints(lab, calls, meet):
    """Two calls that take one lock each only take turns, if that is all that they do with locks."""
    names = [f"x.{name}()" for name in calls.split()]
    _found, conflicts = lab(lab_module.touched, SOURCE, ["x = Subject()"], names)
    assert conflicts[0, 1] is meet


def test_no_discarded_test_of_random_versions_differs(lab):
    """The short form of `plait bench filter`."""
    counted, wrong = lab(bench.examine, tuple(range(1, 13)), limit=600)
    assert wrong == []
    assert counted["cannot meet"] >= 5
    assert counted["serializable"] >= 5
    assert counted["kept"] >= 10
