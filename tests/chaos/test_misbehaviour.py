"""Whatever a class does to its process, its campaign goes on, knows the culprit and finds what there is to find."""

import os
import sys
import time
from pathlib import Path

import chaos_tasks as tasks
import pytest

from plait.subject.versions.scratch import remove_tree
from plait.workers.pool import WorkerCrashed, WorkerHung, Workers
from plait.workers.protocol import WorkerSpec

pytestmark = pytest.mark.slow  # every death costs the start of a process

SUBJECTS = Path(__file__).parent / "subjects"
STALL = 1.0
PATIENCE = 120.0  # far beyond a stall, on any machine
RACE = "finished ['1: 2', '2: 2'] []"  # both threads counted to two: an update was seen twice

CRASHES = {
    "Exits": "the process ended with exit code 3",
    "ExitsHappily": "the process ended with exit code 0",
    "Aborts": "killed by SIGABRT",
    "Segfaults": "killed by SIGSEGV",
    "KillsItself": "killed by SIGKILL (os.kill(",
    "Terminates": "killed by SIGTERM",
    "ClosesEverything": "the process ended with exit code 9",
    "Hoards": "out of memory",
    "HoardsShared": "out of memory: it had ",
    "HoardsStacks": "out of memory: it had ",
}
HANGS = ["EndlessUnseen", "EndlessC", "Deaf", "Stops", "Waits"]
SURVIVED = ["Floods", "Wanders", "LeavesThreads", "Quits", "Interrupts", "EndlessLoop", "EndlessAccess"]


class Campaign:
    """A worker for one class, and the tests that a campaign would make of it."""

    def __init__(self, name):
        self.name = name
        spec = WorkerSpec(module="misbehaving", qualname=name, roots=(SUBJECTS,), memory_limit=1 << 29)
        self.workers = Workers(spec, count=1)

    def test(self, *methods):
        return tasks.a_test("misbehaving", self.name, *methods)

    def explore(self, *methods, stall=None):
        return self.workers.attempt(tasks.explore, self.test(*methods).as_json(), timeout=PATIENCE, stall=stall)

    def finds_the_race(self):
        return RACE in self.explore("bump", "bump").result().value


@pytest.fixture
def campaign(request):
    made = Campaign(request.param)
    yield made
    made.workers.close()


@pytest.mark.parametrize("campaign", CRASHES, indirect=True)
def test_crashes_are_reported_with_their_calls(campaign):
    assert campaign.finds_the_race()
    error = campaign.explore("add", "act").exception()
    assert isinstance(error, WorkerCrashed)
    assert error.reason.startswith(CRASHES[campaign.name])
    assert not error.outside
    if not campaign.name.startswith("Hoards"):
        assert error.note == campaign.test("add", "act").as_lines()
    assert campaign.finds_the_race()


@pytest.mark.parametrize("campaign", HANGS, indirect=True)
def test_hangs_are_reported_with_their_calls(campaign):
    assert campaign.finds_the_race()
    started = time.monotonic()
    error = campaign.explore("add", "act", stall=STALL).exception()
    assert time.monotonic() - started < PATIENCE
    assert isinstance(error, WorkerHung)
    assert error.note == campaign.test("add", "act").as_lines()
    assert error.waits == (campaign.name == "Waits")
    if campaign.name == "EndlessC":
        assert error.where.startswith("misbehaving.py:")
        assert error.where.endswith("in act")
    assert campaign.finds_the_race()


@pytest.mark.parametrize("campaign", SURVIVED, indirect=True)
def test_the_rest_is_survived(campaign):
    assert campaign.finds_the_race()
    assert campaign.explore("add", "act").result().value
    assert campaign.finds_the_race()


@pytest.mark.parametrize("campaign", ["EndlessAccess"], indirect=True)
def test_long_tasks_that_execute_are_alive(campaign):
    data = campaign.test("act", "act").as_json()
    assert campaign.workers.attempt(tasks.explore_for, data, 2 * STALL, timeout=PATIENCE, stall=STALL).result().value


@pytest.mark.parametrize("campaign", ["Floods"], indirect=True)
def test_the_end_of_a_flood_is_kept(campaign):
    output = campaign.explore("add", "act").result().output
    assert output.endswith("zzz")
    assert len(output) < 10_000


@pytest.mark.parametrize("campaign", ["Wanders"], indirect=True)
def test_what_was_changed_is_named(campaign):
    changed = campaign.explore("add", "act").result().changed
    assert {"working folder", "environment: LANG, PATH", "handler of SIGTERM", "recursion limit"} <= set(changed)
    handlers = {"handler of SIGTERM", "handler of SIGALRM"}  # which the constructor sets
    assert set(campaign.explore("add", "add").result().changed) == handlers


def test_the_subjects_are_as_bad_as_they_look():
    """A subject that stopped misbehaving would make these tests pass for nothing."""
    sys.path.insert(0, str(SUBJECTS))
    try:
        import misbehaving
    finally:
        sys.path.remove(str(SUBJECTS))
    names = {name for name, each in vars(misbehaving).items() if isinstance(each, type) and hasattr(each, "act")}
    assert names == {*CRASHES, *HANGS, *SURVIVED}


def test_folders_of_any_depth_are_removed(tmp_path):
    """Deeper than a path can be long, and than Python can recurse; links are not followed."""
    precious = tmp_path / "precious"
    precious.write_text("precious")
    deep = tmp_path / "deep"
    deep.mkdir()
    here = os.open(deep, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d" * 8, dir_fd=here)
        os.symlink(precious, "link", dir_fd=here)
        inner = os.open("d" * 8, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    (deep / "locked").mkdir(mode=0o000)
    (deep / "outside").symlink_to(tmp_path)
    remove_tree(deep)
    assert [entry.name for entry in tmp_path.iterdir()] == ["precious"]
    assert precious.read_text() == "precious"
