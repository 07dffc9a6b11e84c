"""What only one of two versions can do, in one sentence."""

import pytest

from plait.judge.difference.outcome import Outcome
from plait.judge.difference.words import difference_effect, difference_summary
from plait.model.test import Call, Test


def hits(*methods):
    calls = [Call(each, f"x.{each}({{args}})") for each in methods]
    return Test((), (Call("Counter", "Counter({args})", result="x"),), tuple((each,) for each in calls))


@pytest.mark.parametrize(("methods", "results", "said"), [
    (("hit", "hit"), (1, 1), "both calls of `hit` can return 1, when two calls of `hit` run at the same time"),
    (("hit", "hit", "hit"), (1, 1, 1), "all calls of `hit` can return 1, when two calls"),
    (("hit", "hit"), (2, 3), "it can happen together that `hit` returns 2 and `hit` returns 3"),
    (("hit", "get"), (1, 1), "it can happen together that `hit` returns 1 and `get` returns 1"),
])  # fmt: skip
def test_results_that_did_not_go_together(methods, results, said):
    test = hits(*methods)
    outcome = Outcome("finished", tuple(("returned", each) for each in results))
    others = [outcome._replace(results=(outcome.results[0], *(("returned", 0),) * (len(results) - 1))),
              outcome._replace(results=(("returned", 0),) + outcome.results[1:])]  # fmt: skip
    effect = difference_effect("new", ("results",), outcome, others, test, ())
    assert difference_summary("new", effect, test).startswith(f"after the change {said}")
