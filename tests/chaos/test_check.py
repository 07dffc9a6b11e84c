"""`plait check` on classes that misbehave: it ends in time, names the culprit and keeps what it has found."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_forbidden import EXPECTED as FORBIDDEN
from test_misbehaviour import CRASHES

pytestmark = pytest.mark.slow

SUBJECTS = Path(__file__).parent / "subjects"
BUDGET = 30  # seconds, enough for TESTS on a busy machine
TESTS = 40
LEAST = 10  # seconds that a campaign may need beyond its budget


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


def ends(pid, within=3.0):
    """Whether nothing of the session is left, shortly after its end."""
    deadline = time.monotonic() + within
    while session(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return session(pid) == 0


def files():
    return {path for path in SUBJECTS.rglob("*") if "__pycache__" not in path.parts}


def check(folder, subject, *options):
    """The exit code and the result; no process and no file is left where none should be."""
    result = folder / "result.json"
    before = files()
    command = [
        sys.executable, "-m", "plait", "check", subject, "--path", str(SUBJECTS), "--budget", f"{BUDGET}s",
        "--workers", "2", "--max-tests", str(TESTS), "--json", str(result), *options,
    ]  # fmt: skip
    started = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary(folder))},
    )  # fmt: skip
    _, errors = process.communicate(timeout=BUDGET + LEAST + 30)
    elapsed = time.monotonic() - started
    assert elapsed < BUDGET + LEAST
    assert "Traceback" not in errors
    assert ends(process.pid)
    assert files() == before
    assert list(temporary(folder).iterdir()) == []
    return process.returncode, json.loads(result.read_text())


def temporary(folder):
    path = folder / "tmp"
    path.mkdir(exist_ok=True)
    return path


@pytest.mark.parametrize("name", sorted(CRASHES.keys() - {"Hoards"}))
def test_crash(name, tmp_path):
    code, result = check(tmp_path, f"misbehaving:{name}")
    assert code == 1
    crashes = [finding for finding in result["findings"] if finding["kind"] == "crash"]
    assert crashes
    assert CRASHES[name] in crashes[0]["summary"]
    assert "x.act()" in crashes[0]["summary"]



@pytest.mark.parametrize("name", ["EndlessUnseen", "EndlessC", "Stops"])
def test_hang(name, tmp_path):
    """One thread is enough for it: no violation of thread safety, but named, and the rest of the class is checked."""
    code, result = check(tmp_path, f"misbehaving:{name}")
    assert code == 1
    assert any("x.act()" in lost["summary"] for lost in result["lost"] if lost["kind"] == "hang")
    assert any("`x.act()` waits" in note and "left out" in note for note in result["notes"])
    assert any("bump" in str(finding["methods"]) for finding in result["findings"])


@pytest.mark.parametrize("name", ["Exits", "Wanders", "Floods"])
def test_what_else_is_wrong_is_found(name, tmp_path):
    code, result = check(tmp_path, f"misbehaving:{name}")
    assert code == 1
    assert any("bump" in str(finding["methods"]) for finding in result["findings"] if finding["kind"] != "crash")


@pytest.mark.parametrize("name", ["Writes", "Connects", "Runs", "LoadsLibrary"])
def test_forbidden_acts_are_named_and_do_not_happen(name, tmp_path, monkeypatch):
    precious = tmp_path / "precious"
    precious.write_text("precious")
    monkeypatch.setenv("PLAIT_CHAOS_PRECIOUS", str(precious))
    code, result = check(tmp_path, f"forbidden:{name}")
    assert precious.read_text() == "precious"
    assert code == 1
    assert any("bump" in str(finding["methods"]) for finding in result["findings"])
    assert not any(finding.get("exception") == "PermissionError" for finding in result["findings"])
    wanted = f"--allow {FORBIDDEN[name]}"
    assert any(note.startswith("stopped: ") and wanted in note for note in result["notes"])
