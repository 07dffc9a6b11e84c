"""CPython's own tests of its locks, run on the mirror, in executions under several schedules each."""

from __future__ import annotations

import contextlib
import importlib.util
import types
import unittest
from pathlib import Path

import pytest

from no_preemption import RunOn
from plait.explore.random_walk import RandomWalk
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.hooks.dynamic import HOOKS
from plait.run.importing.mirror import Mirror
from plait.run.rewrite import compile_module

TYPES = {
    "LockTests": ("locktype", "Lock"), "RLockTests": ("locktype", "RLock"), "EventTests": ("eventtype", "Event"),
    "ConditionTests": ("condtype", "Condition"), "SemaphoreTests": ("semtype", "Semaphore"),
    "BoundedSemaphoreTests": ("semtype", "BoundedSemaphore"), "BarrierTests": ("barriertype", "Barrier"),
}  # fmt: skip
NOT_OURS = {
    "test_weakref_exists", "test_weakref_deleted",  # the engine keeps what an execution touched until its end
    "EventTests.test_at_fork_reinit",  # looks at the condition inside, which a virtual event does not have
}  # fmt: skip
SCHEDULES = 3


def load():
    """The test module, rewritten, over the mirror; None where the interpreter has no tests."""
    spec = importlib.util.find_spec("test.lock_tests")
    if spec is None or spec.origin is None:
        return None
    mirror = Mirror(PLACES)
    module = types.ModuleType("test.lock_tests")
    module.__file__ = spec.origin
    vars(module).update(HOOKS)
    code, sites = compile_module(Path(spec.origin).read_bytes(), "test.lock_tests", spec.origin, None)
    PLACES.update((site.number, site) for site in sites)
    with mirror.installed():
        exec(code, vars(module))
    vars(module)["threading_helper"] = types.SimpleNamespace(  # it counts and waits for real threads
        threading_setup=tuple, threading_cleanup=lambda *counts: None, wait_threads_exit=contextlib.nullcontext,
        requires_working_threading=lambda **named: lambda test: test,
    )  # fmt: skip
    threading = mirror.modules["threading"]
    for name, (attribute, kind) in TYPES.items():
        setattr(getattr(module, name), attribute, staticmethod(getattr(threading, kind)))
    return module


MODULE = load()
CASES = [] if MODULE is None else [
    (name, method)
    for name in TYPES
    for method in unittest.TestLoader().getTestCaseNames(getattr(MODULE, name))
    if method not in NOT_OURS and f"{name}.{method}" not in NOT_OURS
]  # fmt: skip


@pytest.mark.skipif(MODULE is None, reason="this interpreter comes without CPython's tests")
def test_the_tests_are_there():
    assert len(CASES) > 60


@pytest.mark.parametrize(("name", "method"), CASES)
def test_passes(name, method):
    case = getattr(MODULE, name)(method)
    for strategy in (RunOn(), *(RandomWalk(seed) for seed in range(SCHEDULES))):
        result = unittest.TestResult()
        status = ENGINE.execute(lambda: [lambda: case.run(result)], strategy.next_prefix(), strategy)
        problems = [text for _case, text in (*result.failures, *result.errors)]
        assert status == "finished", (status, strategy.name, problems)
        assert not problems, problems[0]
        assert result.testsRun == 1
