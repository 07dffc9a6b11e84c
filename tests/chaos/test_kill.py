"""kill -9, of workers and of whole campaigns: nothing is lost, nothing is left."""

import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import small_campaign

from plait.store.database import Store
from processes import gone, workers_of

pytestmark = pytest.mark.slow

SCRIPT = Path(small_campaign.__file__)
FINDINGS = {f"unit {number}" for number in range(small_campaign.UNITS) if number % 2}


def start(folder):
    return subprocess.Popen([sys.executable, str(SCRIPT), str(folder)], stdout=subprocess.PIPE, text=True)


def check_complete(folder):
    with Store(folder) as store:
        assert store.messages == []
        assert {each.cause for each in store.findings()} == FINDINGS
        assert len(store.units("misbehaving:Exits")) == small_campaign.UNITS
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert {entry.name for entry in folder.iterdir()} <= {"store.sqlite", "lock", ".gitignore"}


def made_older(folder):
    """Let time go by for folders that were left: a young one may belong to a campaign that is just starting."""
    for each in folder.iterdir():
        for path in (each / ".owner", each):  # a campaign may be killed before it has made the lock
            if path.exists():
                os.utime(path, (1, 1))


def test_a_random_worker_again_and_again(tmp_path):
    process = start(tmp_path / ".plait")
    dice = random.Random(1)
    killed = 0
    output = ""
    for number, line in enumerate(process.stdout):
        output += line
        pids = workers_of(process.pid) if number % 10 == 5 else []
        if pids:
            os.kill(dice.choice(pids), signal.SIGKILL)
            killed += 1
    process.stdout.close()
    assert process.wait(60) == 0
    assert killed >= 2
    assert output.endswith("done\n")
    check_complete(tmp_path / ".plait")


def test_the_whole_campaign_five_times(tmp_path):
    folder = tmp_path / ".plait"
    dice = random.Random(2)
    left = []
    for _ in range(5):
        process = start(folder)
        left.append(int(process.stdout.readline().split()[-1]))
        for _ in range(dice.randrange(1, 8)):
            process.stdout.readline()
        workers = workers_of(process.pid)
        process.kill()
        process.wait()
        process.stdout.close()
        assert gone(*workers)
        with Store(folder) as store:
            assert store.messages == []
    assert left == sorted(left, reverse=True)
    assert left[-1] < small_campaign.UNITS
    process = start(folder)
    output, _ = process.communicate(timeout=60)
    assert output.endswith("done\n")
    check_complete(folder)


def test_what_killed_campaigns_leave_in_the_temporary_folder_is_swept(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    process = start(tmp_path / ".plait")
    process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()
    assert len(list((tmp_path / "tmp").iterdir())) == 1
    made_older(tmp_path / "tmp")
    process = start(tmp_path / ".plait")
    assert process.communicate(timeout=60)[0].endswith("done\n")
    assert list((tmp_path / "tmp").iterdir()) == []
    assert tempfile.gettempdir() != str(tmp_path / "tmp")
