"""The table of forms: what each model says of each equals what real threads did, and DPOR equals DFS."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 300  # schedules of a form


@pytest.fixture(scope="module")
def rows():
    """The table, made in a process of its own: nothing here touches this one's modules."""
    code = f"""
import json
from benchmarks.forms.bench import run
print(json.dumps(run(progress=lambda line: None, limit={LIMIT})["rows"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def reasons():
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("benchmarks.forms.reasons")
    sys.path.remove(str(ROOT))


def test_there_are_enough_forms_and_none_is_named_twice(rows):
    names = [row["subject"] for row in rows if row["model"] == "gil"]
    assert len(names) == len(set(names)) >= 600
    assert len({row["kind"] for row in rows}) >= 30


def test_what_real_threads_tear_a_model_tears(rows, reasons):
    missed = {(row["model"], row["subject"]) for row in rows if row["verdict"] == "missed"}
    assert not missed
    explained = {row["subject"] for row in rows if row["verdict"] == "missed, explained"}
    assert explained == set(reasons.MISSED)


def test_what_a_model_tears_real_threads_tear(rows):
    assert not {(row["model"], row["subject"], row["tries"]) for row in rows if row["verdict"] == "never seen"}


def test_most_forms_were_tried_without_a_gil(rows):
    free = [row for row in rows if row["model"] == "free-threaded"]
    assert sum(row["real"] is not None for row in free) >= 600


def test_dpor_shows_what_dfs_shows(rows):
    assert all(row["exhausted"] for row in rows)
    complete = [row for row in rows if row["dfs exhausted"]]
    differing = [row for row in complete if row["dpor"] != row["dfs"]]
    assert not [(row["model"], row["subject"], row["dpor"], row["dfs"]) for row in differing]
    cut = [row for row in rows if not row["dfs exhausted"]]
    assert not [(row["model"], row["subject"]) for row in cut if not set(row["dfs"]) <= set(row["dpor"])]
    assert sum(row["dfs exhausted"] for row in rows) >= len(rows) - 60


def test_a_model_is_no_yes_man(rows):
    """Both answers are given often, and the GIL model never tears what the other one does not."""
    for model in ("gil", "free-threaded"):
        torn = {row["subject"] for row in rows if row["model"] == model and row["torn"]}
        assert len(torn) > 200
    gil, free = (
        {row["subject"] for row in rows if row["model"] == model and row["torn"]} for model in ("gil", "free-threaded")
    )
    assert gil <= free
    assert len(gil) < len(rows) // 2 - 150
