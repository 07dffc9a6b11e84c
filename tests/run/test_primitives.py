"""The mirror behaves like the real thread modules: outside of executions, and inside them under many schedules."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path

import pytest
from primitive_check import REAL, executed, missing_names, modules_of
from primitive_snippets import SNIPPETS
from test_gil_shapes import SOURCE, interpreters

from plait.explore.random_walk import RandomWalk
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.mirror import Mirror

CLASSES = (
    "Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Event", "Barrier", "Thread", "Timer", "local",
)  # fmt: skip
SCHEDULES = 25

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # of the real threads


@pytest.fixture(scope="session")
def mirror():
    return Mirror(PLACES)


@pytest.fixture
def virtual(mirror):
    return modules_of(mirror.modules)


@pytest.mark.parametrize("name", SNIPPETS)
def test_controlled(name, virtual):
    expected = SNIPPETS[name](REAL)
    strategy = RandomWalk(seed=1)
    for _ in range(SCHEDULES):
        assert executed(lambda: SNIPPETS[name](virtual), strategy, "auto") == expected


@pytest.mark.parametrize("name", SNIPPETS)
def test_controlled_on_os_threads(name, virtual):
    assert executed(lambda: SNIPPETS[name](virtual), RandomWalk(seed=2), "threads") == SNIPPETS[name](REAL)


@pytest.mark.parametrize("name", SNIPPETS)
def test_quiet(name, virtual):
    """As in a set-up or a check: in order, without a choice of schedule."""
    results = []

    def prepare():
        results.append(SNIPPETS[name](virtual))
        return []

    ENGINE.execute(prepare)
    assert results == [SNIPPETS[name](REAL)]


def test_every_public_name_is_there(mirror):
    assert missing_names(mirror) == []


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_method_is_there(name, mirror):
    make = {
        "Barrier": lambda module: module.Barrier(2),
        "Timer": lambda module: module.Timer(1, int),
    }.get(name, lambda module: getattr(module, name)())
    real, twin = make(threading), make(mirror.modules["threading"])
    public = {each for each in dir(real) if not each.startswith("_") or each in ("__enter__", "__exit__", "__call__")}
    assert public <= set(dir(twin))


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_other_versions(version):
    executable = interpreters().get(version)
    if executable is None:
        pytest.skip(f"no Python {version} here")
    done = subprocess.run(
        [executable, Path(__file__).with_name("primitive_check.py")], env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []
