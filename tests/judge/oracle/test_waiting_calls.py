"""Calls that wait: what they may do is what they do in orders of whole calls (`plait.explore.serial` has the rules)."""

import importlib
import textwrap
from pathlib import Path

import pytest

from plait.judge.oracle.rules import Rules, may_wait
from plait.judge.oracle.safety import LOCKED_OUT, NEVER_STUCK, STUCK
from plait.run.engine import ENGINE
from plait.subject.interface.discovery import discover

ROOT = Path(__file__).parents[3]

TESTS = {  # of each monitor: a test in which the faults below show
    "bounded_buffer": (["x = BoundedBuffer(1)"], ["x.get()"], ["x.put(1)"], ["x.get()"]),
    "latch": (["x = CountDownLatch(1)"], ["x.wait()"], ["x.wait()"], ["x.count_down()"]),
    "barrier": (["x = CyclicBarrier(3)"], ["x.wait()"], ["x.wait()"], ["x.wait()"]),
    "rendezvous": (["x = Channel()"], ["x.send(1)"], ["x.receive()"]),
    "readers_writer": (["x = ReadWriteLock()", "x.acquire_write()"], ["x.acquire_read()"], ["x.release_write()"]),
    "semaphore": (["x = CountingSemaphore(0)"], ["x.acquire()"], ["x.acquire()"], ["x.release(2)"]),
    "pool": (["x = ResourcePool(1)", "x.acquire()"], ["x.acquire()"], ["x.release()"], ["x.acquire()"]),
    "future": (["x = Promise()"], ["x.result()"], ["x.result()"], ["x.set_result(1)"]),
    "single_flight": (["x = LoadingCache()"], ["x.get('a')"], ["x.get('a')"], ["x.get('a')"]),
    "phaser": (["x = Phaser(1)"], ["x.wait_for_phase()"], ["x.wait_for_phase()"], ["x.arrive()"]),
    "shutdown_queue": (["x = ClosableQueue()"], ["x.get()"], ["x.get()"], ["x.close()"]),
    "rate_limiter": (["x = TokenBucket(2)", "x.acquire(2)"], ["x.acquire()"], ["x.acquire()"], ["x.refill(2)"]),
}
SHOWN = [
    ("bounded_buffer", "if for while", "get"), ("bounded_buffer", "wrong condition notified", "put"),
    ("latch", "notify for notify_all", "count_down"), ("latch", "state changed after notify", "count_down"),
    ("barrier", "notify for notify_all", "wait"), ("barrier", "missing notify", "wait"),
    ("rendezvous", "missing notify", "send"), ("rendezvous", "missing notify", "receive"),
    ("readers_writer", "missing notify", "release_write"), ("semaphore", "notify for notify_all", "release"),
    ("pool", "if for while", "acquire"), ("pool", "state changed after notify", "release"),
    ("future", "notify for notify_all", "set_result"), ("single_flight", "notify for notify_all", "get"),
    ("phaser", "notify for notify_all", "arrive"), ("shutdown_queue", "notify for notify_all", "close"),
    ("rate_limiter", "notify for notify_all", "refill"),
]  # fmt: skip


@pytest.fixture
def sources(monkeypatch):
    """The source of a monitor, with a fault if one is named."""
    monkeypatch.syspath_prepend(str(ROOT))
    faults = importlib.import_module("benchmarks.monitors.faults")

    def source(monitor, kind=None, where=None):
        if kind is None:
            return (faults.SOUND / f"{monitor}.py").read_text(encoding="utf-8")
        wanted = (monitor, kind, where)
        return next(each for each in faults.FAULTS if (each.monitor, each.kind, each.where) == wanted).source()

    return source


@pytest.mark.parametrize("monitor", TESTS)
def test_a_sound_monitor_is_silent(judged, sources, monitor):
    found = judged(sources(monitor), *TESTS[monitor])
    assert found.conflicts
    assert found.violation is None


@pytest.mark.parametrize(("monitor", "kind", "where"), SHOWN)
def test_a_fault_of_waiting_is_found(judged, sources, monitor, kind, where):
    assert judged(sources(monitor, kind, where), *TESTS[monitor]).violation is not None


def test_a_lost_wake_up_is_no_deadlock_of_the_class(judged, sources):
    """An empty buffer is a reason to wait for ever, and orders show it; one with an item is none."""
    unfed = (["x = BoundedBuffer(1)"], ["x.get()"], ["x.get()", "x.put(1)"])
    broken = sources("bounded_buffer", "missing notify", "put")
    assert judged(sources("bounded_buffer"), *unfed).violation is None
    assert judged(broken, *unfed).violation is None
    lost = judged(broken, ["x = BoundedBuffer(1)"], ["x.get()"], ["x.put(1)"], ["x.get()"]).violation
    assert (lost.kind, lost.detail) == ("deadlock", STUCK)
    latch = sources("latch", "missing notify", "count_down")
    never = judged(latch, ["x = CountDownLatch(1)"], ["x.wait()"], ["x.count_down()"]).violation
    assert (never.kind, never.detail) == ("deadlock", NEVER_STUCK)


PERMITS = """
    import threading

    class Permits:
        def __init__(self):
            self._condition = threading.Condition()
            self.free = 0

        def take(self):
            with self._condition:
                if not self.free:
                    self._condition.wait()
                self.free -= 1

        def give(self):
            with self._condition:
                self.free += 1
                self._condition.notify_all()
"""


def test_what_two_were_woken_for_is_for_one_of_them(judged):
    """Both go on at once in an order of whole calls, too: the second one as it would not if it started afresh."""
    test = (["x = Permits()"], ["x.take()"], ["x.take()"], ["x.give()"])
    assert judged(PERMITS, *test).violation is not None
    assert judged(PERMITS.replace("if not", "while not"), *test).violation is None


def test_a_pulse_lets_all_go_that_wait(judged):
    """They would wait if they started afresh, before and behind each other: they were let go themselves."""
    source = """
        import threading

        class Pulse:
            def __init__(self):
                self._condition = threading.Condition()

            def wait(self):
                with self._condition:
                    self._condition.wait()

            def fire(self):
                with self._condition:
                    self._condition.notify_all()
    """
    found = judged(source, ["x = Pulse()"], ["x.wait()"], ["x.wait()"], ["x.fire()"])
    assert found.exhausted
    assert found.violation is None


def test_a_flag_that_was_lowered_again_is_a_reason_to_wait(judged):
    """Behind "clear, set" the call ends, behind "set, clear" it waits for ever: that order explains it."""
    source = """
        import threading

        class Flag:
            def __init__(self):
                self._condition = threading.Condition(threading.Lock())
                self._up = False

            def set(self):
                with self._condition:
                    self._up = True
                    self._condition.notify_all()

            def clear(self):
                with self._condition:
                    self._up = False

            def wait(self):
                with self._condition:
                    if not self._up:
                        self._condition.wait()
    """
    found = judged(source, ["x = Flag()"], ["x.wait()"], ["x.set()"], ["x.clear()"])
    assert found.exhausted
    assert found.violation is None
    silent = source.replace("self._condition.notify_all()", "pass")
    assert judged(silent, ["x = Flag()", "x.clear()"], ["x.wait()"], ["x.set()"]).violation is not None


def test_a_reader_waits_behind_a_writer_that_waits(judged, sources):
    """Had it begun first it would not wait, but there is a reason why it does."""
    prefix = ["x = ReadWriteLock()", "x.acquire_read()"]
    found = judged(sources("readers_writer"), prefix, ["x.acquire_write()"], ["x.acquire_read()"])
    assert found.exhausted
    assert found.violation is None


@pytest.mark.parametrize("at_any_moment", [False, True])
def test_a_time_out_is_an_answer_when_it_may_fire(judged, sources, at_any_moment, monkeypatch):
    monkeypatch.setattr(ENGINE, "any_timeouts", at_any_moment)
    for test in (
        [["x.get(True, 1)"], ["x.get()"]],
        [["x.get(True, 1)", "x.put(1)"], ["x.get()", "x.get(True, 2)"]],
        [["x.get(True, 1)"], ["x.put(1)", "x.get(False)"]],
    ):
        found = judged(sources("shutdown_queue"), ["x = ClosableQueue()"], *test)
        assert found.conflicts
        assert found.violation is None


def test_a_parameter_called_timeout_does_not_make_a_call_wait(judged):
    source = """
        class Cache:
            def __init__(self):
                self._values = {}
                self._expiry = {}

            def set(self, key, value, timeout=None):
                self._values[key] = value
                self._expiry[key] = timeout

            def get(self, key):
                return (self._values.get(key), self._expiry.get(key))
    """
    space = {}
    exec(textwrap.dedent(source), space)
    waiting = may_wait(discover(space["Cache"], name="cache:Cache"))
    found = judged(source, ["x = Cache()"], ["x.set('a', 1, 5)"], ["x.get('a')"], rules=Rules(waiting=waiting))
    assert found.violation.kind == "wrong-result"


def test_others_do_not_begin_while_a_call_sleeps(judged):
    source = """
        import time

        class Account:
            def __init__(self):
                self.balance = 0

            def deposit(self):
                seen = self.balance
                time.sleep(0.01)
                self.balance = seen + 1
    """
    assert judged(source, ["x = Account()"], ["x.deposit()"], ["x.deposit()"]).violation is not None


def test_who_polls_waits(judged):
    source = """
        import time

        class Flag:
            def __init__(self):
                self._on = False

            def wait(self):
                while not self._on:
                    time.sleep(0.1)

            def set(self):
                self._on = True
    """
    found = judged(source, ["x = Flag()"], ["x.wait()"], ["x.set()"])
    assert found.conflicts
    assert found.violation is None


POOLED = """
    from concurrent.futures import ThreadPoolExecutor
    import threading

    class Jobs:
        def __init__(self):
            self._pool = ThreadPoolExecutor(1)

        def submit(self):
            return self._pool.submit(int).done()

    class Ticker:
        def __init__(self):
            self._lock = threading.Lock()
            self.ticks = 0
            threading.Thread(target=self._run, daemon=True).start()

        def _run(self):
            for _ in range(2):
                with self._lock:
                    self.ticks += 1

        def reset(self):
            with self._lock:
                seen, self.ticks = self.ticks, 0
            return seen
"""


@pytest.mark.parametrize("test", [
    (["x = Jobs()"], ["x.submit()"], ["x.submit()"]),
    (["x = Ticker()"], ["x.reset()"], ["x.reset()"]),
], ids=["executor", "periodic"])  # fmt: skip
def test_threads_of_the_class_may_come_into_a_call(judged, test):
    found = judged(POOLED, *test)
    assert found.conflicts
    assert found.violation is None


HELD_BY_THE_CALLER = """
    import threading

    class Monitor:
        def __init__(self):
            self.changed = threading.Condition()
            self.ready = False

        def enter(self):
            self.changed.acquire()

        def leave(self):
            self.changed.release()

        def wait(self):
            while not self.ready:
                self.changed.wait()

        def open(self):
            self.ready = True
            self.changed.notify_all()

        def open_silently(self):
            self.ready = True
"""


def test_a_call_may_wait_with_a_lock_of_its_caller(judged):
    """It gives the lock up, and only because of that others can end: nobody could have ended before it began."""
    assert judged(HELD_BY_THE_CALLER, ["x = Monitor()"], ["x.enter()", "x.wait()"], ["x.enter()"]).violation is None


def test_a_call_that_waits_with_a_lock_of_its_caller_is_woken_up(judged):
    suffix = ["x.enter()", "x.open()", "x.leave()"]
    waiting = ["x.enter()", "x.wait()", "x.leave()"]
    assert judged(HELD_BY_THE_CALLER, ["x = Monitor()"], waiting, suffix).violation is None


HELD = """
    import threading

    class Held:
        def __init__(self):
            self._lock = threading.Lock()

        def take(self):
            self._lock.acquire()

        def give(self):
            self._lock.release()

        def breathe(self):
            self._lock.release()
            self._lock.acquire()
"""


def test_a_lock_that_a_caller_keeps_is_not_the_calls_doing(judged):
    """A call that gives its caller's lock up for a moment may find that another caller has taken it for good."""
    kept = judged(HELD, ["x = Held()"], ["x.take()", "x.breathe()"], ["x.take()"])
    assert kept.executions > 1
    assert kept.violation is None
    given = judged(HELD, ["x = Held()"], ["x.take()", "x.breathe()", "x.give()"], ["x.take()", "x.give()"])
    assert given.violation is None


LEADER = """
    import threading

    class Leader:
        def __init__(self):
            self._condition = threading.Condition()
            self.followers = 2
            self.leading = False

        def lead(self):
            with self._condition:
                if self.leading:
                    return False
                self.leading = True
                while self.followers > 1:
                    self._condition.wait()
                self.leading = False
                return True

        def leave(self):
            with self._condition:
                self.followers -= 1
                self._condition.notify_all()

        def is_led(self):
            with self._condition:
                return self.leading
"""
SENT_AWAY = [
    (["x.lead()"], ["x.lead()"]), (["x.lead()"], ["x.is_led()", "x.lead()"]),
    (["x.lead()"], ["x.lead()"], ["x.leave()"]), (["x.lead()"], ["x.lead()", "x.leave()"]),
]  # fmt: skip


@pytest.mark.parametrize("threads", SENT_AWAY)
def test_a_call_may_be_sent_away_because_another_one_waits(judged, threads):
    """The one that waits began before the other one ended, and that one wrote nothing: it explains why nothing."""
    found = judged(LEADER, ["x = Leader()", "x.followers = 3"], *threads)
    assert found.exhausted
    assert found.violation is None


def test_a_call_that_is_sent_away_does_not_excuse_a_lost_wake_up(judged):
    silent = LEADER.replace("self._condition.notify_all()", "pass")
    threads = (["x.lead()"], ["x.lead()"], ["x.leave()"])
    assert judged(silent, ["x = Leader()"], *threads).violation.kind == "deadlock"
    late = LEADER.replace(
        "            self.followers -= 1\n                self._condition.notify_all()",
        "            self._condition.notify_all()\n            self.followers -= 1",
    )
    assert late != LEADER
    assert judged(late, ["x = Leader()"], *threads).violation.kind == "deadlock"


SHUT_OUT = """
    import threading

    class Tasks:
        def __init__(self):
            self._turn = threading.RLock()
            self._idle = threading.Condition()
            self.running = 1

        def end(self):
            with self._turn, self._idle:
                self.running -= 1
                self._idle.notify_all()

        def wait(self):
            with self._turn, self._idle:
                while self.running:
                    self._idle.wait()
"""
TURNSTILE = """
    import threading

    class Shared:
        def __init__(self):
            self._turn = threading.Lock()
            self._changed = threading.Condition()
            self.readers = 1

        def read(self):
            with self._turn, self._changed:
                self.readers += 1

        def leave(self):
            with self._changed:
                self.readers -= 1
                self._changed.notify_all()

        def write(self):
            with self._turn, self._changed:
                while self.readers:
                    self._changed.wait()
"""


def test_a_call_that_waits_must_not_keep_out_who_would_end_the_wait(judged):
    """A lock around that of the condition: two whole calls are stuck as well, and passed for that reason."""
    found = judged(SHUT_OUT, ["x = Tasks()"], ["x.wait()"], ["x.end()"]).violation
    assert (found.kind, found.detail) == ("deadlock", LOCKED_OUT)
    one = SHUT_OUT.replace("self._turn, ", "")
    assert judged(one, ["x = Tasks()"], ["x.wait()"], ["x.end()"]).violation is None


@pytest.mark.parametrize("threads", [
    (["x.write()"], ["x.read()"]), (["x.write()"], ["x.leave()"]), (["x.write()"], ["x.write()"]),
    (["x.write()"], ["x.read()", "x.leave()"]), (["x.write()"], ["x.read()", "x.leave()", "x.leave()"]),
])  # fmt: skip
def test_a_call_that_waits_may_keep_out_others(judged, threads):
    """A writer takes the turnstile and waits for earlier readers: a later reader would not end its wait."""
    assert judged(TURNSTILE, ["x = Shared()"], *threads).violation is None
