"""kill -9, of the workers of `plait check` and of the whole command: no finding is lost, nothing is left."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from test_check import SUBJECTS, ends, files, temporary
from test_kill import all_gone, workers_of

from plait.judge.oracle.causes import cause
from plait.model.finding import Finding
from plait.store.database import Store

pytestmark = pytest.mark.slow

TESTS = 400  # some seconds of work


def start(folder):
    command = [
        sys.executable, "-m", "plait", "check", "ledger:Ledger", "--path", str(SUBJECTS), "--workers", "2",
        "--max-tests", str(TESTS), "--json", "result.json", "--quiet",
    ]  # fmt: skip
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary(folder))},
    )  # fmt: skip


def finish(process, folder):
    """The causes of the findings of a campaign that comes to its end."""
    _, errors = process.communicate(timeout=120)
    assert errors == ""
    assert process.returncode == 1
    assert ends(process.pid)
    return causes_of(json.loads((folder / "result.json").read_text())["findings"])


def causes_of(findings):
    return {cause(Finding.from_json(each)) for each in findings}


def kept(folder):
    """The findings in the store, which must be sound."""
    if not (folder / ".plait" / "store.sqlite").exists():
        return set()
    with Store(folder / ".plait") as store:
        assert store.messages == []
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {each.cause for each in store.findings(status="open")}


def nothing_is_left(folder):
    names = {entry.name for entry in folder.iterdir()}
    assert names <= {".plait", "tmp", "result.json", "plait-out"}
    assert {entry.name for entry in (folder / ".plait").iterdir()} <= {"store.sqlite", "lock", ".gitignore"}
    assert list(temporary(folder).iterdir()) == []


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The causes that are found, and the seconds it takes."""
    folder = tmp_path_factory.mktemp("undisturbed")
    before = files()
    started = time.monotonic()
    found = finish(start(folder), folder)
    seconds = time.monotonic() - started
    assert len(found) >= 4
    assert kept(folder) == found
    nothing_is_left(folder)
    assert files() == before
    return found, seconds


def test_a_random_worker_every_two_seconds(undisturbed, tmp_path):
    causes, seconds = undisturbed
    pause = min(2.0, seconds / 8)  # oftener where all is over soon
    process = start(tmp_path)
    dice = random.Random(1)
    killed = 0
    before = []
    while process.poll() is None:
        time.sleep(pause)
        pids = workers_of(process.pid)
        there = [pid for pid in pids if pid in before]  # on a busy machine, none would ever have started
        if there:
            os.kill(dice.choice(there), signal.SIGKILL)
            killed += 1
        before = pids
    assert finish(process, tmp_path) == causes
    assert killed >= 2
    assert kept(tmp_path) == causes
    nothing_is_left(tmp_path)


def test_the_whole_campaign_five_times(undisturbed, tmp_path):
    causes, seconds = undisturbed
    dice = random.Random(2)
    before = files()
    known = set()
    for _ in range(5):
        process = start(tmp_path)
        deadline = time.monotonic() + dice.uniform(0.2, 1.2) * min(seconds, 5.0)
        while time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
        workers = workers_of(process.pid)
        process.kill()
        process.communicate()
        assert all_gone(workers)
        assert ends(process.pid)
        found = kept(tmp_path)
        assert known <= found
        known = found
    time.sleep(2.1)  # a younger folder may belong to a campaign that is just starting
    assert finish(start(tmp_path), tmp_path) == causes
    assert kept(tmp_path) == causes
    nothing_is_left(tmp_path)
    assert files() == before
