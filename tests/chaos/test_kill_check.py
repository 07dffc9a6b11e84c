"""kill -9, of the workers of `plait check` and of the whole command: no finding is lost, nothing is left."""

import ast
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from test_check import SUBJECTS, ends, files, temporary
from test_kill import made_older

from plait.judge.oracle.causes import cause
from plait.model.finding import Finding
from plait.store.database import Store
from plait.workers.pool import FORGIVEN
from processes import gone, used, used_by_all, workers_of

pytestmark = pytest.mark.slow

TESTS = 120  # some seconds of work
KILLS = 4  # fewer than a task is forgiven: if all of them met the same one, it would still not count as a crash
YOUNG = 0.2  # seconds of processor time: a worker that has used less may not have begun yet


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
    return {without_code(cause(Finding.from_json(each))) for each in findings}


def without_code(text):
    """A cause by its functions: the store has the expression that raced, a result file the whole line."""
    kind, exception, places, *half_way = ast.literal_eval(text)
    return kind, exception, frozenset(each if isinstance(each, str) else each[:2] for each in places), *half_way


def kept(folder):
    """The findings in the store, which must be sound."""
    if not (folder / ".plait" / "store.sqlite").exists():
        return set()
    with Store(folder / ".plait") as store:
        assert store.messages == []
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {without_code(each.cause) for each in store.findings(status="open")}


def nothing_is_left(folder):
    names = {entry.name for entry in folder.iterdir()}
    assert names <= {".plait", "tmp", "result.json", "plait-out"}
    assert {entry.name for entry in (folder / ".plait").iterdir()} <= {"store.sqlite", "lock", ".gitignore"}
    assert list(temporary(folder).iterdir()) == []


def while_running(process):
    """Go round as long as a campaign runs."""
    while process.poll() is None:
        yield
        time.sleep(0.03)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The causes that are found, and the processor time that it takes."""
    folder = tmp_path_factory.mktemp("undisturbed")
    before = files()
    process = start(folder)
    seconds = max(used_by_all(process.pid) for _ in while_running(process))
    found = finish(process, folder)
    assert len(found) >= 4
    assert kept(folder) == found
    nothing_is_left(folder)
    assert files() == before
    return found, seconds


def test_a_random_worker_again_and_again(undisturbed, tmp_path):
    causes, _seconds = undisturbed
    assert KILLS < FORGIVEN
    process = start(tmp_path)
    dice = random.Random(1)
    killed = 0
    for _ in while_running(process):
        busy = [pid for pid in workers_of(process.pid) if used(pid) > YOUNG]
        if busy and killed < KILLS:
            os.kill(dice.choice(busy), signal.SIGKILL)
            killed += 1
    assert finish(process, tmp_path) == causes
    assert killed >= 1
    assert kept(tmp_path) == causes
    nothing_is_left(tmp_path)


def test_the_whole_campaign_five_times(undisturbed, tmp_path):
    causes, seconds = undisturbed
    dice = random.Random(2)
    before = files()
    known = set()
    for _ in range(5):
        process = start(tmp_path)
        moment = dice.uniform(0.1, 0.9) * seconds
        for _ in while_running(process):
            if used_by_all(process.pid) > moment:
                break
        workers = workers_of(process.pid)
        process.kill()
        process.communicate()
        assert gone(*workers)
        assert ends(process.pid)
        found = kept(tmp_path)
        assert known <= found
        known = found
    made_older(temporary(tmp_path))
    assert finish(start(tmp_path), tmp_path) == causes
    assert kept(tmp_path) == causes
    nothing_is_left(tmp_path)
    assert files() == before


def test_code_that_wants_to_outlive_the_campaign(tmp_path):
    """It takes back that the kernel ends it with its parent; the server that forked it ends it all the same."""
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", "check", "immortal:Immortal", "--path", str(SUBJECTS), "--budget", "100s"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary(tmp_path))},
    )  # fmt: skip
    while not any(used(pid) > YOUNG for pid in workers_of(process.pid)):
        assert process.poll() is None
        time.sleep(0.03)
    time.sleep(0.5)  # it gets to its loop soon after
    workers = workers_of(process.pid)
    process.kill()
    process.wait()
    assert gone(*workers, within=20.0)
