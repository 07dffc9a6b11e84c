"""How a worker's process is started, and what is left of it."""

import os
import signal
from pathlib import Path

import pytest
import worker_tasks as tasks

from plait.workers.channel import write_order
from plait.workers.pool import Workers
from plait.workers.process import WorkerProcess
from plait.workers.protocol import WorkerSpec
from processes import gone


class Unreadable:
    """Cannot be read by a child."""

    def __reduce__(self):
        return (int, ("not a number",))


@pytest.fixture
def process(tmp_path):
    made = WorkerProcess(tmp_path, tmp_path / "young")
    yield made
    made.close()


def test_a_child_that_fails_while_it_starts_complains_to_its_file(process, tmp_path, capfd):
    os.write(process.orders, write_order(0, Unreadable()))
    assert process.exit_code(30.0) == 1
    assert capfd.readouterr() == ("", "")
    assert "ValueError: invalid literal for int()" in (tmp_path / "young").read_text()


def test_a_child_leads_a_session_of_its_own_and_ends_with_its_orders(process):
    assert process.exit_code() is None
    assert os.getsid(process.pid) == process.pid
    os.kill(process.pid, 0)
    process.close()
    assert gone(process.pid)
    assert process.exit_code() == -signal.SIGKILL


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="named semaphores are no files here")
def test_semaphores_of_a_killed_child_are_removed():
    before = set(Path("/dev/shm").glob("sem.plait-*"))
    with Workers(WorkerSpec(allow=frozenset({"write"})), count=1) as workers:
        workers.submit(tasks.leave_semaphore, timeout=20.0).result()
        assert set(Path("/dev/shm").glob("sem.plait-*")) > before
    assert set(Path("/dev/shm").glob("sem.plait-*")) <= before
