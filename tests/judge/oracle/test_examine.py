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


APART = """
    class Apart:
        def __init__(self):
            self.a = self.b = self.c = self.d = self.e = self.f = 0

        def add_a(self):
            self.a += 1

        def add_b(self):
            self.b += 1

        def read_c(self):
            return self.c

        def add_d(self):
            self.d += 1

        def read_e(self):
            return self.e

        def nothing(self):
            pass
"""


def test_all_calls_of_one_thread_meet_all_of_the_other(judged):
    """None of them shares anything with another one: nothing but an execution made for it brings them together."""
    one, two = ["x.add_a()", "x.read_e()"], ["x.add_b()", "x.read_c()", "x.add_d()", "x.nothing()"]
    names = {"add_a", "read_e", "add_b", "read_c", "add_d", "nothing"}
    for sides in ((one, two), (two, one)):
        found = judged(APART, ["x = Apart()"], *sides, public=names)
        pairs = {tuple(sorted((first[2:-2], second[2:-2]))) for first in one for second in two}
        assert pairs <= found.covered.keys()
        assert found.violation is None
        assert found.executions <= 2 + len(one) * 2 + len(two) * 2
