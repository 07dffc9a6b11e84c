"""Calls that may wait take effect in parts; who looks at them meanwhile may see the parts, and nothing else."""

import pytest

from plait.judge.oracle.rules import Rules

GATE = """
    import threading

    class Gate:
        def __init__(self, opened=True):
            self._cond = threading.Condition()
            self._open = opened
            self._waiting = 0
            self._inside = 0
            self._passed = 0
            self._log = []

        def enter(self, who):
            with self._cond:
                self._waiting += 1
                while not self._open:
                    self._cond.wait()
                self._waiting -= 1
                self._passed += 1
                self._log.append(who)

        def open(self):
            with self._cond:
                self._open = True
                self._cond.notify_all()

        def status(self):
            return self._passed, len(self._log)

        def locked_status(self):
            with self._cond:
                return self._passed, len(self._log)

        def slow_status(self):
            with self._cond:
                passed = self._passed
            with self._cond:
                return passed, len(self._log)

        def waiting(self):
            return self._waiting, self._passed

        def passed(self):
            return self._passed
"""
RULES = Rules(waiting=("enter",))


@pytest.mark.parametrize("look", ["status", "slow_status"])
@pytest.mark.parametrize("opened", ["True", "False"])
def test_a_torn_look_at_a_call_that_may_wait(judged, look, opened):
    threads = [["x.enter(1)"], [f"x.{look}()"], ["x.open()"]][: 2 if opened == "True" else 3]
    found = judged(GATE, [f"x = Gate({opened})"], *threads, rules=RULES)
    assert (found.violation.kind, found.violation.exception) == ("wrong-result", None)
    assert 1 in found.violation.calls


@pytest.mark.parametrize("look", ["locked_status", "waiting", "passed"])
@pytest.mark.parametrize("opened", ["True", "False"])
def test_a_look_that_sees_one_moment(judged, look, opened):
    threads = [["x.enter(1)"], [f"x.{look}()"], ["x.open()"]][: 2 if opened == "True" else 3]
    found = judged(GATE, [f"x = Gate({opened})"], *threads, rules=RULES)
    assert found.conflicts
    assert found.violation is None


PARTS = """
    import threading

    class Parts:
        def __init__(self):
            self._lock = threading.Lock()
            self._ready = threading.Event()
            self._ready.set()
            self._asked = 0
            self._given = 0

        def ask(self):
            with self._lock:
                self._asked += 1
            self._ready.wait()
            with self._lock:
                self._given += 1

        def counts(self):
            with self._lock:
                return self._asked, self._given

        def counts_backwards(self):
            given = self._given
            return self._asked, given

        def torn_counts(self):
            return self._asked, self._given
"""


@pytest.mark.parametrize("look", ["counts", "counts_backwards"])
def test_a_look_between_the_parts_of_a_call(judged, look):
    found = judged(PARTS, ["x = Parts()"], ["x.ask()"], [f"x.{look}()"], rules=Rules(waiting=("ask",)))
    assert found.conflicts
    assert found.violation is None


def test_a_look_before_and_after_a_call(judged):
    rules = Rules(waiting=("ask",))
    assert judged(PARTS, ["x = Parts()"], ["x.ask()"], ["x.counts()", "x.counts()"], rules=rules).violation is None
    # It reads what is changed first before what is changed last: no moment of the call is like that.
    found = judged(PARTS, ["x = Parts()"], ["x.ask()"], ["x.torn_counts()"], rules=rules)
    assert (found.violation.kind, found.violation.calls) == ("wrong-result", (1,))
