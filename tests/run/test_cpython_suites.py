"""CPython's own tests of queue, threading and concurrent.futures, run on the mirror, of the interpreter that runs this.

The modules are rewritten and imported over the mirror, as code under test is. Each test runs in an execution without
preemption and in one that a random walk decides. `test_primitives_cpython` does the same for the locks.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import sys
import types
import unittest

import pytest

from no_preemption import RunOn
from plait.explore.random_walk import RandomWalk
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.hooks.access import HOOKS
from plait.run.importing.importer import Importer
from plait.run.importing.mirror import Mirror
from plait.run.primitives.thread import hooks

FUTURES = "test.test_concurrent_futures"
PLAIN = ["test.test_queue", "test.test_threading", "test.test_thread", "test.test_threading_local"]
PARTS = ("test_thread_pool", "test_wait", "test_as_completed", "test_future", "test_shutdown", "test_init")
# The classes of each module that are about threads and are not run by `test_primitives_cpython` already.
CLASSES = {
    "test.test_queue": (
        "CQueueTest", "CLifoQueueTest", "CPriorityQueueTest", "CFailingQueueTest", "CSimpleQueueTest",
    ),
    "test.test_threading": (
        "ThreadTests", "ThreadJoinOnShutdown", "ThreadingExceptionTests", "ExceptHookTests", "TimerTests",
        "CRLockTests", "InterruptMainTests", "AtexitTests", "MiscTestCase",
    ),
    "test.test_thread": ("ThreadRunningTests", "BarrierTest", "LockTests"),
    "test.test_threading_local": ("ThreadLocalTest", "PyThreadingLocalTest"),
    FUTURES: (
        "ThreadPoolExecutorTest", "ThreadPoolWaitTests", "ThreadPoolAsCompletedTests", "FutureTests",
        "ThreadPoolShutdownTest", "ThreadPoolInitializerTest",
    ),
}  # fmt: skip
# What a test is left out for, by a word in it.
WORDS = {
    "assert_python": "starts another interpreter", "subprocess": "starts another process", "os.fork": "forks",
    "script_helper": "starts another interpreter", "signal": "uses signals", "_testcapi": "tests the C interface",
    "gc.collect": "waits for the garbage collector, which is off in an execution",
    "weakref": "an object that was touched lives until the execution ends", "settrace": "traces real threads",
    "multiprocessing": "starts other processes", "ProcessPoolExecutor": "starts other processes",
    "set_async_exc": "raises an exception in a thread from outside, through the C interface",
    "threading._active": "private: the table of real threads", "threading._limbo": "private: threads that start",
    "'_counter'": "private: the counter of names", "_tstate_lock": "private: a lock of 3.11 and 3.12",
    "_shutdown_locks": "private", "_set_done": "private", "_get_name": "the name that the system keeps of a thread",
    "interrupt_main": "interrupts the main thread, as a signal does",
    "sizeof": "asks for the size of an object in C",
}  # fmt: skip
LEFT_OUT = {
    "test_reentrancy": "a queue that is entered again by a finalizer: they run late, and never in the middle",
    "test_shutdown_all_methods_in_many_threads": "polls without end until others have come: more than 20,000 steps",
    "test_shutdown_immediate_all_methods_in_many_threads": "polls without end until others have come",
    "test_many_threads": "a hundred threads that poll: more than 20,000 steps",
    "test_many_threads_nonblock": "a hundred threads that poll: more than 20,000 steps",
    "test_many_threads_timeout": "a hundred threads that poll: more than 20,000 steps",
    "test_custom_excepthook_fail": "an excepthook that fails is a finding, not a text on stderr",
    "test_excepthook": "an exception that no hook takes is a finding, not a text on stderr",
    "test_excepthook_thread_None": "real identifiers of threads in a text",
    "test_done_callback_raises": "reads from stderr what logging writes there, which pytest takes",
    "test_done_callback_raises_already_succeeded": "reads from stderr what logging writes there, which pytest takes",
    "test_process_fork_from_a_threadpool": "starts another process",
    "test_signature": "arguments to RLock, deprecated from 3.13 on: the mirror refuses them at once",
    "test_cancel_futures": "expects that some calls have slept to their end meanwhile: virtual time has not passed",
    "test_del_shutdown": "an executor that nobody holds lives until the execution ends",
    "test_thread_names_assigned": "an executor that nobody holds lives until the execution ends",
    "test_thread_names_default": "an executor that nobody holds lives until the execution ends",
    "test_get_snapshot": "four threads that poll for as long as another one works: more than 20,000 steps",
    "test_disallow_instantiation": "a lock's type makes no locks before 3.13; the mirror's always does",
    "test__all__": "asks where classes were defined; `test_mirror_surface` compares the names",
    "test_unraisable_exception": "an exception in a thread is a finding, not a text on stderr",
    "test_local_refs": "an object that was touched lives until the execution ends",
    "test_can_interrupt_tight_loops": "interrupts the main thread, as a signal does",
    "test_multithread_modify_file_noerror": "writes a file and starts five threads that run for seconds",
}
FEWEST = 50  # tests on every version; more than twice as many where those of concurrent.futures are installed


def names():
    """The modules of the running interpreter, those of concurrent.futures in one file or, from 3.12 on, in several."""
    found = importlib.util.find_spec(FUTURES) if importlib.util.find_spec("test") is not None else None
    if found is None:
        return PLAIN
    parts = [f"{FUTURES}.{part}" for part in PARTS] if found.submodule_search_locations else [FUTURES]
    return [*PLAIN, *parts]


def load():
    """The modules over the mirror; what they import of `test.support` takes its time from there as well."""
    if importlib.util.find_spec("test") is None or importlib.util.find_spec("test.test_queue") is None:
        return {}, None
    mirror = Mirror(PLACES)
    wanted = {*names(), "test.lock_tests", f"{FUTURES}.executor", f"{FUTURES}.util"}
    importer = Importer(lambda name, _origin: name in wanted, HOOKS, PLACES)
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "test"}
    for name in before:
        del sys.modules[name]
    importer.install()
    try:
        with mirror.installed():
            modules = {name: importlib.import_module(name) for name in names()}
            helper = importlib.import_module("test.support.threading_helper")
        quiet = types.SimpleNamespace(**{  # it counts and waits for real threads
            **vars(helper), "threading_setup": tuple, "threading_cleanup": lambda *counts: None,
            "wait_threads_exit": lambda timeout=None: contextlib.nullcontext(), "reap_threads": lambda test: test,
        })  # fmt: skip
        for name in wanted & set(sys.modules):
            if "threading_helper" in vars(sys.modules[name]):
                vars(sys.modules[name])["threading_helper"] = quiet
    finally:
        importer.uninstall()
        for name in [name for name in sys.modules if name.partition(".")[0] == "test"]:
            del sys.modules[name]
        sys.modules.update(before)
    return modules, mirror


MODULES, MIRROR = load()


def cases():
    """Each test that is run: module, class, method."""
    for name, module in MODULES.items():
        key = FUTURES if name.startswith(FUTURES) else name
        for kind in CLASSES[key]:
            owner = getattr(module, kind, None)
            if owner is None:
                continue
            if name == "test.test_queue":
                owner.queue = MIRROR.modules["queue"]
            for method in unittest.TestLoader().getTestCaseNames(owner):
                if reason(owner, method) is None:
                    yield name, kind, method


def reason(owner, method):
    """Why a test is left out; None if it is run."""
    text = inspect.getsource(getattr(owner, method))
    return LEFT_OUT.get(method) or next((why for word, why in WORDS.items() if word in text), None)


CASES = list(cases())


@pytest.mark.skipif(not MODULES, reason="this interpreter comes without CPython's tests")
def test_the_tests_are_there():
    assert len(CASES) >= FEWEST


@pytest.mark.parametrize(("module", "kind", "method"), CASES)
def test_passes(module, kind, method, monkeypatch):
    monkeypatch.setattr(hooks, "main", 1)  # a test's own body runs in the main thread
    owner = getattr(MODULES[module], kind)
    for strategy in (RunOn(), RandomWalk(0)):
        result = unittest.TestResult()

        def body(result=result):
            owner(method).run(result)

        status = ENGINE.execute(lambda body=body: [body], strategy.next_prefix(), strategy)
        problems = [text for _case, text in (*result.failures, *result.errors)]
        assert status == "finished", (status, strategy.name, problems)
        assert not problems, problems[0]
        if result.skipped:
            pytest.skip(result.skipped[0][1])
