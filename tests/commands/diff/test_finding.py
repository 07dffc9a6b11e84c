"""What a finding says about the change, and how long a comparison waits."""

import time
from concurrent.futures import Future

import pytest

from plait.commands.diff.sides import LateError, PendingPair, awaited
from plait.workers.pool import Answer

TALLY = """
    import threading

    class Tally:
        def __init__(self):
            self._lock = threading.Lock()
            self.count = 0

        def add(self):
            with self._lock:
                self.count = self.count + 1

        def name(self):
            return "a" + "tally"
    """
UNLOCKED = TALLY.replace(
    "with self._lock:\n                self.count = self.count + 1", "self.count = self.count + 1"
).replace('"a" + "tally"', '"at" + "ally"')


@pytest.mark.parametrize(("old", "new", "version"), [(TALLY, UNLOCKED, "old"), (UNLOCKED, TALLY, "new")])
def test_lines_that_the_test_does_not_reach_are_not_named(compare, old, new, version):
    """`name` changed as well, which has nothing to do with it."""
    finding = compare(old, new, "Tally", tests=60).findings[0]
    assert finding.methods == ["Tally.add"]
    line = TALLY.splitlines().index("            with self._lock:")
    assert finding.detail == f"lines of the {version} version on which this depends: subject.py:{line + 1}"


def test_a_task_that_is_not_done_in_time_is_not_waited_for():
    done: Future[Answer] = Future()
    done.set_result(Answer("so much"))
    assert awaited(done, None) == "so much"
    assert awaited(done, time.monotonic() - 1) == "so much"
    with pytest.raises(LateError):
        PendingPair(done, Future(), time.monotonic()).values()
