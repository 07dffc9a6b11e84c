"""Whatever a class tries, nothing happens outside its worker, and the attempt is named."""

import importlib
import sys
from pathlib import Path

import chaos_tasks as tasks
import pytest

from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

SUBJECTS = Path(__file__).parent / "subjects"
RACE = "finished ['1: 2', '2: 2'] []"


def _expected():
    sys.path.insert(0, str(SUBJECTS))
    try:
        return {kind.__name__: name for kind, name in importlib.import_module("forbidden").EXPECTED.items()}
    finally:
        sys.path.remove(str(SUBJECTS))


EXPECTED = _expected()


@pytest.fixture
def precious(tmp_path, monkeypatch):
    folder = tmp_path / "precious"
    folder.mkdir()
    (folder / "file").write_text("precious")
    monkeypatch.setenv("PLAIT_CHAOS_PRECIOUS", str(folder / "file"))
    yield folder
    assert [entry.name for entry in folder.iterdir()] == ["file"]
    assert (folder / "file").read_text() == "precious"


@pytest.mark.parametrize("name", EXPECTED)
def test_stopped_named_and_survived(name, precious):
    with Workers(WorkerSpec(module="forbidden", qualname=name, roots=(SUBJECTS,)), count=1) as workers:
        test = tasks.a_test("forbidden", name, "act", "bump")
        answer = workers.attempt(tasks.explore, test.as_json(), timeout=20).result()
        assert answer.stopped
        assert {stop["act"] for stop in answer.stopped} == {EXPECTED[name]}
        assert all(stop["at"].startswith("forbidden.py:") for stop in answer.stopped)
        assert all(stop["at"].endswith(f"in {name}.act") for stop in answer.stopped)
        race = workers.attempt(tasks.explore, tasks.a_test("forbidden", name, "bump", "bump").as_json(), timeout=20)
        assert RACE in race.result().value
        assert race.result().stopped == ()
