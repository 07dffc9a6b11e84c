"""Executions that their traces show to be equivalent to whole calls one after the other."""

import pytest

from plait.explore.runner import execute
from plait.observe.whole import in_turns
from plait.run.engine import ENGINE

CLASS = """
    import threading

    class Shared:
        def __init__(self):
            self.a = self.b = 0
            self.mine = [0, 0]
            self.lock = threading.Lock()
            self.wake = threading.Condition(self.lock)

        def locked(self):
            with self.lock:
                self.a = self.a + 1

        def apart(self, k):
            self.mine[k] = k
            with self.lock:
                self.a = self.a + 1
            self.mine[k] = k

        def twice(self):
            with self.lock:
                self.a = self.a + 1
            with self.lock:
                self.b = self.a

        def read(self):
            return self.a + self.b

        def wait(self):
            with self.lock:
                self.wake.wait()

        def tell(self):
            with self.lock:
                self.wake.notify_all()

        def briefly(self):
            with self.lock:
                self.wake.wait(1)
"""


def whole(judged, suffixes, schedule):
    """Whether the execution is whole in which threads go on in this order, as long as they can."""
    bed = judged.prepared(CLASS, ["x = Shared()"], *suffixes).bed
    order = iter(schedule)

    class Chooser:
        def choose(self, engine, current):
            wanted = next(order, engine.enabled[0])
            return wanted if wanted in engine.enabled else engine.enabled[0]

    said = []
    execute(bed.prepare, (), Chooser(), finish=lambda: said.append(in_turns(ENGINE, bed.done)))
    return said[0]


@pytest.mark.parametrize(
    ("suffixes", "schedule", "expected"),
    [
        ([["x.locked()"], ["x.locked()"]], [1, 2, 1, 2, 1], True),  # one stands before the lock of the other
        ([["x.locked()", "x.locked()"], ["x.locked()"]], [1] * 6 + [2] * 6, True),
        ([["x.apart(0)"], ["x.apart(1)"]], [1, 2] * 6, False),  # keys of one list are not told apart
        ([["x.read()"], ["x.read()"]], [1, 2, 1, 2], True),  # reading disturbs nobody
        ([["x.read()"], ["x.locked()"]], [1] + [2] * 4 + [1], True),  # only one of the fields it reads is changed
        ([["x.read()"], ["x.twice()"]], [1] + [2] * 8 + [1], False),
        ([["x.twice()"], ["x.locked()"]], [1] * 4 + [2] * 4 + [1] * 6, False),
        ([["x.twice()"], ["x.locked()"]], [1] * 12, True),
        ([["x.wait()"], ["x.tell()"]], [1] * 3 + [2] * 9, False),  # a call waited
        ([["x.briefly()"], ["x.read()"]], [1] * 12, False),  # time passed
        ([["x.wait()"], ["x.read()"]], [1] * 12, False),  # it has not ended
    ],
)
def test_it_says_what_the_trace_proves(judged, suffixes, schedule, expected):
    assert whole(judged, suffixes, schedule) is expected
