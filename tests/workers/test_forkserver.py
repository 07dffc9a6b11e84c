"""Workers are forked of a server; each is what a fresh process would be, and none outlives its parent."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import worker_tasks as tasks

from plait.workers import forkserver, process
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec
from processes import gone, is_running

pytestmark = pytest.mark.skipif(not forkserver.AVAILABLE, reason="workers are started one by one here")
HERE = Path(__file__).parent


def asked(task, *args):
    with Workers(WorkerSpec(), count=1) as workers:
        return workers.submit(task, *args, timeout=60.0).result().value


def start_of_a_worker():
    told = asked(tasks.start_of_a_worker)
    told["environment"].pop("TMPDIR")  # of the worker's own
    return told


def test_a_forked_worker_is_what_a_fresh_one_is(monkeypatch, tmp_path):
    asked(tasks.pid)  # what follows is new to the server
    monkeypatch.setenv("PLAIT_TEST_LATER", "set")
    monkeypatch.setattr(sys, "argv", ["other", "words"])
    monkeypatch.syspath_prepend(str(tmp_path))
    forked = start_of_a_worker()
    monkeypatch.setattr(process, "AVAILABLE", False)
    fresh = start_of_a_worker()
    assert forked == fresh
    assert (forked["environment"]["PLAIT_TEST_LATER"], forked["leads"], forked["threads"]) == ("set", True, 1)


def test_modules_that_appear_later_are_found(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(tmp_path))
    assert asked(tasks.can_import, "appears_later") is False
    (tmp_path / "appears_later.py").write_text("")
    assert asked(tasks.can_import, "appears_later") is True


def test_what_an_interpreter_reads_at_its_start_needs_another_server(monkeypatch):
    monkeypatch.setattr(forkserver, "_servers", [])  # workers of other tests may keep an older server
    asked(tasks.pid)
    (before,) = forkserver._servers
    monkeypatch.setenv("PYTHONWARNINGS", "ignore::ResourceWarning")
    assert asked(tasks.environment_variable, "PYTHONWARNINGS") == "ignore::ResourceWarning"
    (after,) = forkserver._servers
    assert after is not before
    assert before._process.wait(30.0) == 0
    after.close()
    assert after._process.wait(30.0) == 0


def test_the_server_imports_for_its_workers_what_plait_imports_later():
    with Workers(WorkerSpec(), count=1) as workers:
        loaded = workers.submit(tasks.modules, timeout=60.0).result().value
    assert set(forkserver._LATER) <= set(loaded)


def test_a_server_that_is_killed_is_replaced():
    with Workers(WorkerSpec(), count=1) as workers:
        pid = workers.submit(tasks.pid, timeout=60.0).result().value
        (server,) = forkserver._servers
        os.kill(server._process.pid, signal.SIGKILL)
        server._process.wait()
        other = workers.attempt(tasks.pid, timeout=60.0).result().value
        assert other != pid
        assert gone(pid)
        assert is_running(other)


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import worker_tasks as tasks
from plait.workers import forkserver
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec
with Workers(WorkerSpec(), count=1) as workers:
    print(workers.submit(tasks.pid, timeout=60.0).result().value, forkserver._servers[0]._process.pid, flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("how", ["ends", "killed"])
def test_neither_server_nor_worker_outlives_the_parent(how):
    started = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(HERE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with started as parent:
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert [is_running(pid) for pid in pids] == [True, True]
        if how == "killed":
            parent.kill()
    assert [gone(pid) for pid in pids] == [True, True]


def test_a_server_whose_parent_is_gone_imports_nothing_more(monkeypatch):
    """On a busy machine it would live on for seconds otherwise."""
    ours, theirs = socket.socketpair()
    imported = []
    monkeypatch.setattr(forkserver, "_import", lambda names: (imported.extend(names), ours.close()))
    forkserver.run_forkserver(theirs.detach(), ["a", "b"])
    assert imported == ["a"]
