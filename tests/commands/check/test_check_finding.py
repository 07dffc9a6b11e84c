"""In which test a method meets itself."""

import pytest

from plait.commands.check.worker.finding import _test_with_itself
from plait.model.finding import Finding, Gap
from plait.model.test import Test


@pytest.mark.parametrize(("suffixes", "thread", "wanted"), [
    ([["x.more(1)"], ["x.less(2)"]], 1, [["x.more(1)"], ["x.more(1)"]]),
    ([["x.more(1)"], ["x.less(2)"]], 2, [["x.less(2)"], ["x.less(2)"]]),
    ([["x.more(1)"], ["x.less(2)"]], 3, None),  # a thread that the class has started
    ([["x.more(1)"], ["x.more(2)"]], 1, None),  # it does already
    ([["x.more(1)", "x.total()"], ["x.less(2)"]], 1, None),
    ([["x.more(1)"], ["x.less(2)"]], None, None),
])  # fmt: skip
def test_the_interrupted_method_meets_itself(suffixes, thread, wanted):
    gap = None if thread is None else Gap(thread, "shop.py", "f", 1, 2)
    test = Test.from_lines([], ["x = Shop()"], suffixes)
    found = _test_with_itself(Finding("wrong-result", "", [], test=test, gap=gap))
    assert (found and found.as_lines()["suffixes"]) == wanted
