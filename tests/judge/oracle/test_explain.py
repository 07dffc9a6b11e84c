"""What is said about a violation beside its steps."""

from types import SimpleNamespace

import pytest

from plait.judge.oracle import explain
from plait.judge.oracle.examine import examine
from plait.judge.oracle.explain import expected
from plait.judge.oracle.safety import Violation
from plait.model.test import Test

SAME = Test.from_lines([], ["x = C()"], [["x.take()"], ["x.take()"]])
OTHERS = Test.from_lines([], ["x = C()"], [["x.take()"], ["x.put(1)"]])
ORDERS = SimpleNamespace(
    observed=[SimpleNamespace(results=(("returned", one), ("returned", 3 - one))) for one in (1, 2)]
)


@pytest.mark.parametrize(("test", "calls", "probe", "wanted"), [
    (SAME, (0, 1), None, ["returns 1", "returns 2"]),
    (OTHERS, (0,), None, ["returns 1", "returns 2"]),
    (OTHERS, (0, 1), None, []),  # which of them returns what?
    (SAME, (0, 1), ("x.count", ("returned", 1), ()), []),  # what they return is as it should be
])  # fmt: skip
def test_the_results_of_one_call_are_listed(test, calls, probe, wanted):
    violation = Violation("wrong-result", None, calls, ORDERS.observed[0], "", probe)
    assert expected(violation, test, ORDERS) == wanted


def test_a_search_under_the_gil_takes_so_many_steps_and_then_says_nothing(judged, monkeypatch):
    source = """
        import threading

        class Long:
            def __init__(self):
                self._lock = threading.Lock()
                self.value = 0
                self.seen = 0

            def inc(self):
                value = self.value
                for _ in range(60):
                    with self._lock:
                        self.seen += 1
                self.value = value + 1
                return self.value
    """
    taken = []

    def noted(*args, **options):
        taken.append(options["systematic"])
        return examine(*args, **options)

    monkeypatch.setattr(explain, "examine", noted)
    examination = judged.prepared(source, ["x = Long()"], ["x.inc()"], ["x.inc()"])
    _ = examination.specification
    assert explain.reachable_under_gil(examination, lambda _violation: False) is None
    assert 0 < taken[0] < explain.GIL_SYSTEMATIC
