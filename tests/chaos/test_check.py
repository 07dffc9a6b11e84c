"""`plait check` on classes that misbehave: it ends in time, names the culprit and keeps what it has found."""

import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from test_forbidden import EXPECTED as FORBIDDEN
from test_misbehaviour import CRASHES, HANGS, SURVIVED

from plait.store.database import Store

pytestmark = pytest.mark.slow

SUBJECTS = Path(__file__).parent / "subjects"
BUDGET = 60  # seconds, enough for TESTS on a busy machine
TESTS = 40
LEAST = 20  # seconds that a campaign may need beyond its budget, on a busy machine
COMBINED = {
    "Vandal": (
        "Appends", "Renames", "MakesFolder", "Listens", "Downloads", "Shells", "Forks", "KillsParent",
    ),
    "Wrecker": ("Writes", "Removes", "RemovesTree", "Connects", "Runs", "LoadsLibrary"),
}  # fmt: skip
"""Which of the forbidden acts a class has."""


def session(pid):
    """The processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found.append((entry / "stat").read_text().rpartition(")")[2].split()[3] == str(pid))
            except (OSError, IndexError):
                continue
    return sum(found)


def ends(pid, within=60.0):
    """Whether nothing of the session is left, shortly after its end."""
    deadline = time.monotonic() + within
    while session(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return session(pid) == 0


def files():
    return {path for path in SUBJECTS.rglob("*") if "__pycache__" not in path.parts}


def check(folder, subject, *options, budget=BUDGET, limit=TESTS, memory=None):
    """The exit code and the result; no process and no file is left where none should be."""
    result = folder / "result.json"
    before = files()
    steps = () if limit is None else ("--max-tests", str(limit))
    command = [
        sys.executable, "-m", "plait", "check", subject, "--path", str(SUBJECTS), "--budget", f"{budget}s",
        "--workers", "2", *steps, "--json", str(result), *options,
    ]  # fmt: skip
    started = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary(folder))},
        preexec_fn=None if memory is None else lambda: resource.setrlimit(resource.RLIMIT_DATA, (memory, memory)),
    )  # fmt: skip
    _, errors = process.communicate(timeout=budget + LEAST + 30)
    elapsed = time.monotonic() - started
    assert elapsed < budget + LEAST
    assert "Traceback" not in errors
    assert ends(process.pid)
    assert files() == before
    assert list(temporary(folder).iterdir()) == []
    return process.returncode, json.loads(result.read_text())


def side_by_side(folder, names):
    """What `check` says of several classes at once, because most of the time goes by in waiting."""

    def one(name):
        (folder / name).mkdir()
        return check(folder / name, f"misbehaving:{name}")

    with ThreadPoolExecutor(len(names)) as pool:
        return dict(zip(names, pool.map(one, names), strict=True))


def temporary(folder):
    path = folder / "tmp"
    path.mkdir(exist_ok=True)
    return path


def of_kind(result, kind):
    return [finding for finding in result["findings"] if finding["kind"] == kind]


def finds_the_race(result):
    return any("bump" in str(finding["methods"]) for finding in result["findings"] if "exception" not in finding)


# Those that hoard memory slowly are left out by a check as calls without end; test_misbehaviour.py has their limits.
@pytest.mark.parametrize("name", sorted(set(CRASHES) - {"HoardsShared", "HoardsStacks"}))
def test_crash(name, tmp_path):
    code, result = check(tmp_path, f"misbehaving:{name}", memory=1 << 29 if name.startswith("Hoards") else None)
    assert code == 1
    crashes = of_kind(result, "crash")
    assert crashes
    assert CRASHES[name] in crashes[0]["summary"]
    assert "x.act()" in crashes[0]["summary"]
    assert finds_the_race(result)


def test_hangs(tmp_path):
    """One thread is enough for it, so it is no matter of thread safety: a note, and the rest is checked."""
    for name, (code, result) in side_by_side(tmp_path, sorted({*HANGS} - {"Waits"})).items():
        assert code == 1, name
        assert of_kind(result, "hang") == [], name
        assert any("`x.act()` does not end" in note and "left out" in note for note in result["notes"]), name
        assert finds_the_race(result), name


def test_waiting_for_something_outside_is_no_fault(tmp_path):
    code, result = check(tmp_path, "misbehaving:Waits")
    assert code == 1
    assert of_kind(result, "hang") == []
    assert any("x.act()" in lost["summary"] for lost in result["lost"] if lost["kind"] == "hang")
    assert any("`x.act()` waits" in note and "left out" in note for note in result["notes"])
    assert finds_the_race(result)


@pytest.mark.parametrize("names", [SURVIVED[:4], SURVIVED[4:]], ids=", ".join)
def test_the_rest_is_survived(names, tmp_path):
    for name, (code, result) in side_by_side(tmp_path, names).items():
        assert code == 1, name
        assert finds_the_race(result), name
        assert of_kind(result, "crash") == [], name


@pytest.mark.parametrize("name", ["EndlessC", "Stops", "ClosesEverything"])
def test_the_budget_is_kept(name, tmp_path):
    """By the clock alone, and in the middle of whatever goes on."""
    code, result = check(tmp_path, f"misbehaving:{name}", budget=2, limit=None)
    assert code == (1 if result["findings"] else 0 if result["stats"]["tests"] else 3)


@pytest.mark.parametrize("name", ["Exits", "EndlessC"])
def test_what_was_found_before_is_not_lost(name, tmp_path):
    settings = tmp_path / "plait.toml"
    settings.write_text("exclude = ['act']\n")
    _, calm = check(tmp_path, f"misbehaving:{name}")
    assert finds_the_race(calm)
    settings.unlink()
    _, result = check(tmp_path, f"misbehaving:{name}", limit=8)
    assert finds_the_race(result)
    assert any("known from earlier runs: 1 still there" in note for note in result["notes"])
    with Store(tmp_path / ".plait") as store:
        assert store.messages == []
        assert ("crash" in {each.content["kind"] for each in store.findings(status="open")}) == (name == "Exits")


@pytest.mark.parametrize("name", ["Vandal", "Wrecker"])
def test_forbidden_acts_are_named_and_do_not_happen(name, tmp_path, monkeypatch):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("precious")
    monkeypatch.setenv("PLAIT_CHAOS_PRECIOUS", str(precious / "file"))
    code, result = check(tmp_path, f"forbidden:{name}", limit=TESTS)
    assert [entry.name for entry in precious.iterdir()] == ["file"]
    assert (precious / "file").read_text() == "precious"
    assert code == 1
    assert finds_the_race(result)
    assert not any(finding.get("exception") == "PermissionError" for finding in result["findings"])
    said = [note for note in result["notes"] if note.startswith("stopped: ")]
    for act in COMBINED[name]:
        assert any(f"in {act}.act" in note and f"--allow {FORBIDDEN[act]}" in note for note in said), act


def test_every_forbidden_act_is_among_them():
    assert sorted(act for acts in COMBINED.values() for act in acts) == sorted(FORBIDDEN)
