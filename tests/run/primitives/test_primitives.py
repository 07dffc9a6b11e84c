"""The mirror behaves like the real thread modules: outside of executions, and inside them under many schedules."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from primitive_check import REAL, executed, modules_of
from primitive_snippets import SNIPPETS

from interpreters import SOURCE, interpreters
from plait.explore.dpor import Dpor
from plait.explore.random_walk import RandomWalk
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.mirror import Mirror

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


@pytest.mark.parametrize(
    ("make", "use"),
    [
        ("Lock", lambda made: made.__enter__() and made.__exit__(None, None, None)),
        ("RLock", lambda made: made.__enter__() and made.__exit__(None, None, None)),
        ("Condition", lambda made: made.__enter__() and made.__exit__(None, None, None)),
        ("Event", lambda made: (made.set(), made.clear())),
        ("Semaphore", lambda made: made.acquire() and made.release()),
        ("BoundedSemaphore", lambda made: made.acquire() and made.release()),
    ],
)
def test_what_is_printed_of_a_primitive_is_read_from_it(make, use, mirror):
    """The reduction must not take both orders for equal: two texts are possible."""
    shown = set()
    search = Dpor()

    def prepare():
        made = getattr(mirror.modules["threading"], make)()
        return [lambda: use(made), lambda: shown.add(repr(made))]

    while (prefix := search.next_prefix()) is not None:
        ENGINE.execute(prepare, prefix, search)
        search.executed(ENGINE)
    assert len(shown) == 2


@pytest.mark.parametrize("name", SNIPPETS)
def test_quiet(name, virtual):
    """As in a set-up or a check: in order, without a choice of schedule."""
    results = []

    def prepare():
        results.append(SNIPPETS[name](virtual))
        return []

    ENGINE.execute(prepare)
    assert results == [SNIPPETS[name](REAL)]


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
