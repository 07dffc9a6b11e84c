"""Which violations of a test are looked for, and by which search."""

import pytest

TWO_FAULTS = """
    class Both:
        def __init__(self):
            self.count = 0
            self._part = {}

        def go(self):
            self.count = self.count + 1
            if 'a' not in self._part:
                self._part['a'] = 0
                self._part.clear()
            else:
                return self._part['a']
"""


def test_a_common_fault_does_not_hide_a_rare_one(judged):
    call = ["x.go()"]
    alone = judged(TWO_FAULTS, ["x = Both()"], call, call)
    assert [violation.kind for violation, _ in alone.violations] == ["wrong-result"]
    both = judged(TWO_FAULTS, ["x = Both()"], call, call, further=60)
    assert {violation.exception for violation, _ in both.violations} == {None, "KeyError"}


ONE_SWITCH = """
    class Round:
        def __init__(self):
            self.count = 0
            self._done = 0

        def go(self):
            before = self._done
            for _ in range(10):
                if self._done != before:
                    raise RuntimeError('somebody got round meanwhile')
            for number in range(25):
                self._last = number
            self._done = before + 1
            self.count = self.count + 1
"""


def test_nor_one_that_wants_a_single_switch_and_a_long_way_after_it(judged):
    call = ["x.go()"]
    seen = judged(ONE_SWITCH, ["x = Round()"], call, call, further=60)
    assert "RuntimeError" in {violation.exception for violation, _ in seen.violations}
    assert None in {violation.exception for violation, _ in seen.violations}


def test_only_what_is_wanted_counts(judged):
    found = judged(
        TWO_FAULTS, ["x = Both()"], ["x.go()"], ["x.go()"], wanted=lambda violation: violation.exception == "KeyError"
    )
    assert found.violation.exception == "KeyError"
    assert found.schedule is not None


@pytest.mark.parametrize("order", ["random", "pos", "pct", "dfs", "icb", "dpor", "active"])
def test_every_search_finds_a_lost_update(judged, order):
    source = """
        class Counter:
            def __init__(self):
                self.value = 0

            def inc(self):
                self.value = self.value + 1
    """
    found = judged(source, ["x = Counter()"], ["x.inc()"], ["x.inc()"], order=order, seed=1)
    assert found.violation.kind == "wrong-result"
