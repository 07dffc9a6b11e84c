"""Sixty ways to disturb one's process: whatever becomes of it, the campaign goes on and finds what there is to find."""

import importlib
import sys
from pathlib import Path

import chaos_tasks as tasks
import pytest
from test_misbehaviour import PATIENCE, RACE

from plait.errors import PlaitBugError
from plait.workers.failures import WorkerError
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

pytestmark = pytest.mark.slow

SUBJECTS = Path(__file__).parent / "subjects"
STALL = 3.0


def _names():
    sys.path.insert(0, str(SUBJECTS))
    try:
        return list(importlib.import_module("disruptive").DISRUPTIONS)
    finally:
        sys.path.remove(str(SUBJECTS))


@pytest.mark.parametrize("name", _names())
def test_the_race_is_found_before_and_after(name):
    spec = WorkerSpec(module="disruptive", qualname=name, roots=(SUBJECTS,), memory_limit=1 << 29)
    race = tasks.a_test("disruptive", name, "bump", "bump").as_json()
    act = tasks.a_test("disruptive", name, "add", "act").as_json()
    with Workers(spec, count=1) as workers:
        assert RACE in workers.attempt(tasks.explore, race, timeout=PATIENCE).result().value
        error = workers.attempt(tasks.explore, act, timeout=PATIENCE, stall=STALL, retries=0).exception()
        # Where it has emptied plait's own modules, plait may take the blame; the process is not used again.
        assert error is None or isinstance(error, WorkerError | PlaitBugError), repr(error)
        assert RACE in workers.attempt(tasks.explore, race, timeout=PATIENCE).result().value


def test_there_are_many():
    assert len(_names()) >= 55
