"""Time that passes while a call waits: what others see of it is no interference, and what they break still is."""

from types import SimpleNamespace

import pytest

from plait.explore.serial import Serial

LEASES = """
    import datetime
    import threading
    import time

    class Leases:
        def __init__(self, ttl):
            self._ttl = ttl
            self._leases = {}
            self._condition = threading.Condition()

        def acquire(self, name, timeout=None):
            with self._condition:
                end = None if timeout is None else time.monotonic() + timeout
                while name in self._leases:
                    left = None if end is None else end - time.monotonic()
                    if left is not None and left <= 0:
                        return False
                    self._condition.wait(left)
                self._leases[name] = time.monotonic() + self._ttl
                return True

        def expire(self):
            now = time.monotonic()
            with self._condition:
                gone = [name for name, end in self._leases.items() if end <= now]
                for name in gone:
                    del self._leases[name]
                self._condition.notify_all()
            return len(gone)
"""
QUEUE = """
    import threading
    import time

    class Delayed:
        def __init__(self):
            self._items = []
            self._condition = threading.Condition()

        def put(self, item, delay=0.0):
            with self._condition:
                self._items.append((time.monotonic() + delay, item))
                self._condition.notify_all()

        def get(self, timeout=None):
            end = None if timeout is None else time.monotonic() + timeout
            with self._condition:
                while True:
                    now = time.monotonic()
                    if self._items and self._items[0][0] <= now:
                        return self._items.pop(0)[1]
                    waits = [self._items[0][0] - now] if self._items else []
                    if end is not None:
                        if end <= now:
                            raise TimeoutError
                        waits.append(end - now)
                    self._condition.wait(min(waits) if waits else None)
"""
STAMPED = """
    import threading
    import time

    class Stamped:
        def __init__(self):
            self._items = []
            self._condition = threading.Condition()

        def put(self, item):
            with self._condition:
                self._items.append((time.monotonic(), item))
                self._condition.notify()

        def get(self, timeout=None):
            began = time.monotonic()
            with self._condition:
                while not self._items:
                    if not self._condition.wait(timeout):
                        raise TimeoutError
                return self._items.pop(0)[1]
"""
EXPIRES = (["x = Leases(1)", "x.acquire('a')"], ["x.acquire('a', timeout=1)"], ["x.expire()"])


@pytest.fixture(params=["time.monotonic()", "datetime.datetime.now().timestamp()"])
def leases(request):
    """Leases that end by one clock or by the other."""
    return LEASES.replace("time.monotonic()", request.param)


def test_what_expires_while_a_call_waits_may_be_seen(judged, engine_rule, leases):
    for any_timeouts in (False, True):
        with engine_rule(any_timeouts=any_timeouts):
            found = judged(leases, *EXPIRES)
        assert found.conflicts
        assert found.violation is None


def test_an_update_that_is_lost_meanwhile_is_found(judged, engine_rule, leases):
    lock = "            with self._condition:\n                gone"
    assert lock in leases
    torn = leases.replace(lock, "            if True:\n                gone").replace(
        "                self._condition.notify_all()\n", "")  # fmt: skip
    with engine_rule(any_timeouts=True):
        found = judged(torn, ["x = Leases(1)", "x.acquire('a')", "time.sleep(2)"], ["x.expire()"], ["x.expire()"])
    assert found.violation is not None


def test_a_wake_up_that_is_lost_is_no_time_out(judged):
    """Time passes in orders of whole calls only as long as no call waits for it: the item had been there."""
    silent = STAMPED.replace("                self._condition.notify()\n", "")
    assert silent != STAMPED
    test = (["x = Stamped()"], ["x.get(timeout=5)"], ["x.put(1)"])
    assert judged(STAMPED, *test).violation is None
    assert judged(silent, *test).violation is not None


def test_two_time_outs_at_one_moment_do_not_steal_from_each_other(judged):
    test = (["x = Delayed()"], ["x.get()", "x.put(0)"], ["x.put(0, delay=1)", "x.get(timeout=1)"])
    found = judged(QUEUE, *test)
    assert found.executions > 1
    assert found.violation is None


def test_time_passes_up_to_given_instants_and_not_past_a_deadline():
    class Thread:
        deadline = 2.0

    class Clock:
        threads = (Thread(),)
        trace = ()

        def __init__(self):
            self.time = SimpleNamespace(now=0.0)

    seen = []
    serial = Serial(instants=(1.0, 3.0))
    while serial.next_prefix() is not None:
        engine = Clock()
        serial.before_reading(engine)
        seen.append(engine.time.now)
        serial.executed(engine)
    assert seen == [0.0, 1.0]
