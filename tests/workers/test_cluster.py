"""Campaigns on a Dask cluster: the same result as on this machine, also when a worker leaves."""

import io
import os
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

import pytest

from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.commands.check.worker.tasks import Portion
from plait.commands.diff.command import diff
from plait.commands.diff.options import DiffOptions
from plait.errors import UsageError
from plait.subject.name import Subject
from plait.workers import cluster as cluster_module
from plait.workers.cluster import Cluster, shipment
from plait.workers.cluster_site import moved
from plait.workers.protocol import WorkerSpec

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FAULTY = BENCHMARKS / "covcon" / "faulty"
CONDIFF = BENCHMARKS / "condiff"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def dask(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and two workers; the processes of the workers can be killed."""
    distributed = pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("cluster")
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = dask(folder, "scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--no-dashboard")
    workers = [
        dask(folder, "worker", address, "--nthreads", "1", "--no-dashboard", "--local-directory", str(folder))
        for _ in range(2)
    ]
    with distributed.Client(address, timeout=120, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=120)
    yield address, workers
    for process in (*workers, scheduler):
        kill(process)


def kill(process):
    """With all it has started, so that nothing starts it again."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def kill_at_work(address, process):
    """Kill a worker as soon as it has something to do."""
    with pytest.importorskip("distributed").Client(address, timeout=120, set_as_default=False) as client:
        (name,) = [name for name, parent in client.run(os.getppid).items() if parent == process.pid]
        while not client.processing(workers=[name])[name]:
            time.sleep(0.02)
        kill(process)


def found(name, address=None, **options):
    subject = Subject.parse(f"{FAULTY / name.partition(':')[0]}.py:{name.partition(':')[2]}", path=FAULTY)
    cluster = None if address is None else Cluster(address)
    asked = CheckOptions(subject, project=FAULTY, max_tests=16, streams=4, workers=2, cluster=cluster, **options)
    result = check(asked)
    figures = [result.stats[name] for name in ("tests", "schedules", "method_pairs_covered")]
    return [finding.as_json() for finding in result.findings], figures


@pytest.mark.slow
@pytest.mark.parametrize("name", ["string_buffer:StringBuffer", "vector_117:Vector", "int_range:IntRange"])
def test_the_result_is_the_local_one(name, cluster):
    assert found(name, cluster[0]) == found(name)


@pytest.mark.slow
def test_a_comparison_gives_the_local_result(cluster):
    def compared(address=None):
        asked = DiffOptions(
            Subject("int_range", "IntRange"), str(CONDIFF / "old"), str(CONDIFF / "new"), project=CONDIFF, max_tests=60,
            reproduce=False, cluster=None if address is None else Cluster(address),
        )  # fmt: skip
        result = diff(asked)
        figures = [result.stats[name] for name in ("tests_generated", "tests_filtered", "checks", "schedules")]
        return result.verdict, [finding.as_json() for finding in result.findings], figures

    remote = compared(cluster[0])
    assert remote == compared()
    assert remote[0] == "difference"


@pytest.mark.slow
def test_a_worker_that_leaves_is_replaced_by_the_rest(cluster):
    address, workers = cluster
    leaving = threading.Thread(target=kill_at_work, args=(address, workers[0]))
    leaving.start()
    try:
        assert found("as_map:AsMap", address) == found("as_map:AsMap")
    finally:
        leaving.join()
    assert workers[0].poll() is not None


def test_nobody_there(monkeypatch):
    monkeypatch.setattr(cluster_module, "CONNECT_S", 0.5)
    with pytest.raises(UsageError, match="no Dask scheduler answers at 'tcp://127.0.0.1:1'"):
        Cluster("tcp://127.0.0.1:1").client()


def test_files_for_encryption_must_be_there(tmp_path):
    with pytest.raises(UsageError, match="there is no file"):
        Cluster("tls://127.0.0.1:1", ca=tmp_path / "ca.pem").client()


def test_code_is_shipped_without_what_tools_have_made(tmp_path):
    for name in ("a.py", "data.txt", ".git/config", "__pycache__/a.pyc", ".plait/store.sqlite", "sub/b.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    made = shipment(WorkerSpec(module="a", roots=(tmp_path, tmp_path / "sub")))
    assert sorted(tarfile.open(fileobj=io.BytesIO(made.archive)).getnames()) == ["0/a.py", "0/data.txt", "0/sub/b.py"]
    assert made.folders == {str(tmp_path): "0"}
    assert shipment(WorkerSpec(module="a", roots=(tmp_path,))).key != made.key


def test_paths_are_moved_wherever_they_are():
    value = {"rows": [("/here/sub/a.py", 3)], "where": Path("/here/a.py"), "p": Portion(1, 2.0, store=Path("/here/x"))}
    there = moved(value, {"/here": "/there", "/here/sub": "/far"})
    assert there["rows"] == [("/far/a.py", 3)]
    assert there["where"] == Path("/there/a.py")
    assert there["p"].store == Path("/there/x")
    assert moved(moved(value, {"/here": "/there"}), {"/there": "/here"}) == value
