"""Greenlets and OS threads run the same executions."""

from __future__ import annotations

import contextvars
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

from plait import explore_threads
from plait.errors import UsageError
from plait.explore.dpor import Dpor
from plait.observe.places import place
from plait.run import fibers
from plait.run.engine import ENGINE, access
from plait.run.fibers import make_fibers, usable
from plait.run.operations import WRITE
from plait.scenario import controlled

GREENLET, UNUSABLE = fibers.loaded()
needs_greenlet = pytest.mark.skipif(GREENLET is None, reason=str(UNUSABLE))
BACKENDS = ["threads"] if GREENLET is None else ["greenlet", "threads"]


class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.balance = 10

    def withdraw(self, amount):
        if self.balance >= amount:
            with self.lock:
                self.balance -= amount


class Slot:
    def __init__(self):
        self.changed = threading.Condition()
        self.items = []

    def put(self):
        with self.changed:
            self.items.append(1)
            self.changed.notify()

    def get(self):
        with self.changed:
            while not self.items:
                self.changed.wait(timeout=1)
            self.items.pop()


def cross(locks):
    with locks[0], locks[1]:
        pass


def cross_back(locks):
    with locks[1], locks[0]:
        pass


PROGRAMS = {
    "account": (Account, [lambda account: account.withdraw(8), lambda account: account.withdraw(10)]),
    "condition": (Slot, [Slot.get, Slot.get, Slot.put, Slot.put]),
    "deadlock": (lambda: [threading.Lock(), threading.Lock()], [cross, cross_back]),
}


def traces(name, backend, gil=False, any_timeouts=False, most=300):
    """Every execution of a full search, in order, in words."""
    found = []
    with controlled(*PROGRAMS[name]) as (trial, _adopter):
        ENGINE.gil, ENGINE.any_timeouts = gil, any_timeouts
        search = Dpor()
        while len(found) < most and (prefix := search.next_prefix()) is not None:
            status = trial.execute(prefix, search, free=search.free, backend=backend)
            search.executed(ENGINE)
            found.append((status, [(entry[0], place(entry[3]).name, entry[2], entry[4]) for entry in ENGINE.trace]))
    return found


@needs_greenlet
@pytest.mark.parametrize("any_timeouts", [False, True])
@pytest.mark.parametrize("gil", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_both_backends_run_the_same_executions(name, gil, any_timeouts):
    first, second = (traces(name, backend, gil, any_timeouts) for backend in BACKENDS)
    assert first == second
    assert len(first) > 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_explorations_end_alike(backend):
    verdict = explore_threads(
        *PROGRAMS["account"], lambda account: account.balance >= 0, backend=backend, raise_on_failure=False
    )
    assert (verdict.kind, verdict.executions, verdict.preemptions) == ("wrong-result", 2, 1)


@needs_greenlet
def test_os_threads_are_os_threads():
    shared = object()

    def body():
        seen.add(threading.get_ident())
        access(ENGINE.thread, ENGINE.heap.loc_of(shared, "x"), WRITE, 0)  # both stand here before one goes on

    seen = set()
    ENGINE.execute(lambda: [body, body], backend="threads")
    assert len(seen) == 2
    assert threading.get_ident() not in seen
    seen = set()
    ENGINE.execute(lambda: [body, body], backend="greenlet")
    assert seen == {threading.get_ident()}


@pytest.mark.parametrize("backend", BACKENDS)
def test_stacks_are_used_again(backend):
    before = threading.active_count()
    os_threads = Counter()
    for _ in range(200):
        with controlled(*PROGRAMS["deadlock"]) as (trial, _adopter):
            trial.execute((), None, free=True, backend=backend)
        os_threads[len(sys._current_frames())] += 1
    assert threading.active_count() == before
    assert max(os_threads) - min(os_threads) <= 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_start_without_context_variables(backend):
    variable = contextvars.ContextVar("variable", default="unset")
    seen = []

    def body():
        seen.append(variable.get())
        variable.set("set in a thread")

    variable.set("set by the test")
    for _ in range(3):
        ENGINE.execute(lambda: [body, body], backend=backend)
    assert variable.get() == "set by the test"
    if backend == "greenlet":
        assert seen == ["unset"] * 6


@pytest.mark.parametrize("backend", BACKENDS)
def test_deep_recursion_in_a_thread_is_its_own_affair(backend):
    depths = []

    def dive(depth):
        if depth:
            dive(depth - 1)
        else:
            depths.append(1)

    def prepare():
        return [lambda: dive(sys.getrecursionlimit() // 2)] * 2

    for _ in range(3):
        assert ENGINE.execute(prepare, backend=backend) == "finished"
        assert [thread.error for thread in ENGINE.threads] == [None] * 3
    assert len(depths) == 6


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_thread_that_swallows_its_unwinding_is_left_behind(backend):
    def stubborn():
        while True:
            try:
                with threading.Lock() as _got, BLOCKED:
                    pass
            except BaseException:
                continue

    begun = time.perf_counter()
    verdict = explore_threads(BLOCKED_TWICE, [stubborn], backend=backend, raise_on_failure=False)
    assert verdict.kind in ("deadlock", "hang")
    assert time.perf_counter() - begun < 60
    assert explore_threads(*PROGRAMS["condition"], max_executions=20, backend=backend).passed


BLOCKED = threading.Lock()


def BLOCKED_TWICE():
    BLOCKED.acquire()


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_exploration_may_run_in_any_thread(backend):
    verdicts = []

    def explore():
        verdicts.append(explore_threads(*PROGRAMS["deadlock"], backend=backend, raise_on_failure=False))

    for _ in range(2):
        thread = threading.Thread(target=explore)
        thread.start()
        thread.join()
    explore()
    assert [verdict.kind for verdict in verdicts] == ["deadlock"] * 3


def test_without_greenlet_os_threads_do_it():
    code = """
import sys
sys.modules["greenlet"] = None
from plait import explore_threads
import tests_account
print(explore_threads(tests_account.Account, [tests_account.Account.spend] * 2, lambda a: a.n == 0,
                      raise_on_failure=False).kind)
"""
    module = "class Account:\n    def __init__(self):\n        self.n = 2\n    def spend(self):\n        self.n -= 1\n"
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tests_account.py").write_text(module)
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, check=False)
    assert result.stdout.strip() == "wrong-result", result.stderr


def test_both_backends_say_which_thread_runs_code_under_test(monkeypatch):
    for backend in BACKENDS:
        monkeypatch.setattr("plait.run.fibers.OURS", ours := set())
        make_fibers(backend, lambda fiber: None)
        assert threading.get_ident() in ours


@pytest.mark.parametrize(
    ("version", "free_threaded", "works"),
    [
        ("3.2.2", True, False), ("3.2.2", False, True), ("3.5.2", True, False), ("3.5.3", True, True),
        ("3.5.3rc1", True, True), ("3.4", True, False), ("4.0", True, True),
    ],
)  # fmt: skip
def test_a_greenlet_that_is_too_old_for_the_build_is_not_used(version, free_threaded, works):
    trouble = usable(version, free_threaded=free_threaded)
    assert (trouble is None) == works
    assert works or (version in trouble and "3.5.3" in trouble)


def test_without_a_usable_greenlet_os_threads_do(monkeypatch):
    monkeypatch.setattr(fibers, "loaded", lambda: (None, "greenlet 3.5.2 is not safe here"))
    assert isinstance(make_fibers("auto", print), fibers.OsFibers)
    with pytest.raises(UsageError, match=r"greenlet 3\.5\.2 is not safe here"):
        make_fibers("greenlet", print)


def test_a_thread_that_cannot_be_started_is_no_fault_of_plait(monkeypatch):
    """Code under test has used them up: its process ends as one without memory does, and another one goes on."""
    made = fibers.OsFibers(lambda _fiber: None, fresh=True)

    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(fibers._thread, "start_new_thread", refuse)
    with pytest.raises(MemoryError, match="no thread can be started"):
        made.take()


def test_an_exception_of_a_signal_handler_ends_the_execution_and_nothing_else():
    """pytest-timeout raises in the main thread, which waits for the thread that runs."""

    class TooLongError(BaseException):
        pass

    def interrupt(_number, _frame):
        raise TooLongError

    def execute_for_ever():
        while True:
            ENGINE.execute(lambda: [lambda: time.sleep(0.01)] * 2, backend="threads")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    steps = ENGINE.max_steps
    try:
        ENGINE.max_steps = 10**9
        with pytest.raises(TooLongError):
            execute_for_ever()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        ENGINE.max_steps, ENGINE.guarded, ENGINE.deserted = steps, False, False
    seen = []
    ENGINE.execute(lambda: [lambda: seen.append(1)] * 2, backend="threads")
    assert seen == [1, 1]
