"""The engine's benchmark: its programs are what they claim to be, and its figures are computed right."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _python(code):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("benchmarks.engine.bench")
    sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def explored():
    """The explorations of each program, in a process of its own, so that this one's modules stay as they are.

    Where the number of classes is known, the reduction comes to its end, however slow the machine is. The fault is
    found within seconds; a sound program is explored for a moment only.
    """
    code = """
import json
from benchmarks.engine.catalogue import SUBJECTS
from benchmarks.engine.tools import LOADERS
found = {}
for subject in SUBJECTS:
    for tool in ("plait-dpor", "plait-dfs"):
        explore = LOADERS[tool](tool, subject)
        to_the_end = explore(False, 90.0) if subject.classes and tool == "plait-dpor" else None
        to_failure = explore(True, 0.5 if subject.fault is None else 90.0)
        found[f"{subject.name}/{tool}"] = [to_the_end and to_the_end._asdict(), to_failure._asdict()]
print(json.dumps(found))
"""
    return json.loads(_python(code))


EXACT = {
    "counter 2x1": 4,
    "counter 2x3": 328,
    "counter 3x1": 36,
    "account": 4,
    "locked counter 2x1": 2,
    "locked counter 2x3": 20,
    "locked counter 3x1": 6,
    "AB-BA": 3,
    "philosophers 3": 7,
}


@pytest.mark.parametrize("name", EXACT)
def test_reduction_visits_every_class_once(explored, name):
    to_the_end, _ = explored[f"{name}/plait-dpor"]
    assert to_the_end["exhausted"]
    assert to_the_end["executions"] - to_the_end["redundant"] == EXACT[name]


def test_catalogue_states_the_same_counts(bench):
    assert {subject.name: subject.classes for subject in bench.SUBJECTS if subject.classes} == EXACT


@pytest.mark.parametrize("tool", ["plait-dpor", "plait-dfs"])
def test_faults_are_found_and_sound_programs_pass(bench, explored, tool):
    for subject in bench.SUBJECTS:
        _, to_failure = explored[f"{subject.name}/{tool}"]
        assert to_failure["failed"] == (subject.fault is not None), subject.name


def test_programs_run_without_plait():
    """One thread after another every program ends and holds, except those that wait for another thread."""
    code = """
import sys
from benchmarks.engine.catalogue import FOLDERS, SUBJECTS
import importlib
sys.path[:0] = map(str, FOLDERS)
for subject in SUBJECTS:
    program = importlib.import_module(subject.module).Program(*subject.arguments)
    bodies = program.bodies if subject.module != "buffer" else []
    for body in bodies:
        body()
    assert program.holds(), subject.name
"""
    _python(code)


def _row(subject, tool, rate, *, failure=None, end=None, redundant=0, classes=None, fault=None, steady=None):
    return {
        "subject": subject,
        "tool": tool,
        "fault": fault,
        "executions_per_s": rate,
        "steady_executions_per_s": rate if steady is None else steady,
        "executions_per_cpu_s": rate,
        "executions_to_failure": failure,
        "executions_to_exhaust": end,
        "redundant": redundant,
        "classes": classes,
        "trouble": None,
    }


def test_geometric_means_count_only_what_both_could_do(bench):
    rows = [
        _row("a", "plait-dpor", 1000.0),
        _row("a", "frontrun-dpor", 10.0, steady=20.0),
        _row("b", "plait-dpor", 400.0),
        _row("b", "frontrun-dpor", 1.0),
        _row("c", "plait-dpor", 500.0),
        _row("c", "frontrun-dpor", None),
    ]
    against = bench._summary(rows)["against_frontrun"]
    assert against["geometric_mean"] == pytest.approx(200.0)
    assert against["steady_geometric_mean"] == pytest.approx((50 * 400) ** 0.5)
    assert against["subjects"] == 2
    assert against["least"] == ("a", 100.0)
    assert bench._summary(rows)["against_interleave_test"]["geometric_mean"] is None


def test_wrong_counts_and_missed_faults_are_said(bench):
    rows = [
        _row("a", "plait-dpor", 1.0, end=8, redundant=1, classes=7, failure=2, fault="deadlock"),
        _row("b", "plait-dpor", 1.0, end=5, classes=4, fault="exception"),
    ]
    summary = bench._summary(rows)
    assert summary["classes"] == {"a": {"expected": 7, "found": 7}, "b": {"expected": 4, "found": 5}}
    assert not summary["classes_exact"]
    assert summary["faults_missed"] == ["b by plait-dpor"]
    text = bench.show({"rows": rows, "summary": {**summary, "memory": {}}})
    assert "WRONG: b 5 for 4" in text
    assert "faults not found: b by plait-dpor" in text


def test_medians_of_runs(bench):
    runs = [
        {
            "executions": 4,
            "redundant": 0,
            "exhausted": True,
            "first_rate": rate,
            "steady_rate": 2 * rate,
            "cpu_rate": 3 * rate,
            "to_failure": 2,
            "trouble": "",
        }
        for rate in (30.0, 10.0, 20.0)
    ]
    row = bench._row(bench.SUBJECTS[0], "plait-dpor", runs)
    assert (row["executions_per_s"], row["steady_executions_per_s"]) == (20.0, 40.0)
    assert row["executions_per_cpu_s"] == 60.0
    assert (row["executions_to_failure"], row["executions_to_exhaust"]) == (2, 4)
    inconclusive = bench._row(bench.SUBJECTS[0], "frontrun-dpor", [{**runs[0], "trouble": "inconclusive"}])
    assert (inconclusive["executions_per_s"], inconclusive["trouble"]) == (None, "inconclusive")


@pytest.mark.slow
def test_the_command_writes_the_table(bench, tmp_path, monkeypatch, capsys):
    from plait.cli.main import main
    from plait.commands import bench as command

    monkeypatch.setattr(bench, "SUBJECTS", bench.SUBJECTS[:2])
    asked = {"subjects": bench.SUBJECTS, "tools": ("plait-dpor",)}
    monkeypatch.setattr(bench.run, "__kwdefaults__", {**bench.run.__kwdefaults__, **asked})
    assert command.repository() == ROOT
    target = tmp_path / "engine.json"
    assert main(["bench", "engine", "--runs", "1", "--limit", "60s", "--json", str(target)]) == 0
    result = json.loads(target.read_text())
    assert (result["schema"], result["bench"]) == (1, "engine")
    rows = [row for row in result["rows"] if row["tool"] == "plait-dpor"]
    assert [row["subject"] for row in rows] == ["counter 2x1", "counter 2x3"]
    assert all(row["executions_per_s"] > 0 for row in rows)
    assert [row["executions_to_exhaust"] for row in rows] == [4, 328]
    memory = result["summary"]["memory"]
    assert memory["flat"], memory
    assert "classes of schedules: all exact" in capsys.readouterr().out
