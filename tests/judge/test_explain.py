"""What is said about a violation beside its steps."""

from types import SimpleNamespace

import pytest

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
