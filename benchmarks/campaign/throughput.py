"""How fast tests are explored: in a plain process, in workers, on a Dask cluster."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.campaign import tasks
from plait.workers.cluster import Cluster, ClusterWorkers
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
LONG = 600.0
START_S = 60


class Place:
    """A subject in a folder of its own, with tests for it."""

    def __init__(self, module: str, name: str, source: str, folder: Path) -> None:
        self.module, self.name, self.folder = module, name, folder
        folder.mkdir()
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
        self.spec = WorkerSpec(module=module, qualname=name, roots=(folder,))
        self.tests: list[dict[str, Any]] = []

    def make_tests(self, count: int) -> None:
        with Workers(self.spec, count=1) as workers:
            self.tests = workers.submit(tasks.make, str(self.spec), count, 0, timeout=LONG).result().value


def inside(place: Place, kind: str) -> dict[str, Any]:
    """In a plain process; ``kind`` says whether with the guard."""
    command = [sys.executable, "-m", "benchmarks.campaign.inside", place.module, place.name, str(place.folder), kind]
    done = subprocess.run(
        command, input=json.dumps(place.tests), cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def in_workers(place: Place, count: int) -> dict[str, Any]:
    """In worker processes of this machine."""
    with Workers(place.spec, count=count) as workers:
        return _measured(workers, place, count)


def on_dask(place: Place, address: str, count: int) -> dict[str, Any]:
    """On a cluster with so many workers."""
    with ClusterWorkers(place.spec, Cluster(address)) as workers:
        return _measured(workers, place, count)


def _measured(workers: Workers, place: Place, count: int) -> dict[str, Any]:
    _explored(workers, place, place.tests[: 2 * count * tasks.BATCH])
    started = time.perf_counter()
    answers = _explored(workers, place, place.tests)
    return tasks.added(answers, time.perf_counter() - started)


def _explored(workers: Workers, place: Place, tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    batches = [tests[start : start + tasks.BATCH] for start in range(0, len(tests), tasks.BATCH)]
    futures = [workers.attempt(tasks.explore, str(place.spec), batch, timeout=LONG) for batch in batches]
    return [future.result().value for future in futures]


@contextlib.contextmanager
def dask(count: int) -> Iterator[str]:
    """A scheduler with so many workers on this machine; its address."""
    import distributed  # noqa: PLC0415 - of an extra

    with tempfile.TemporaryDirectory(prefix="plait-dask-") as folder, contextlib.ExitStack() as stack:
        port = _free_port()
        address = f"tcp://127.0.0.1:{port}"
        command = ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
        stack.enter_context(_dask_process(command))
        command = ["worker", address, "--nworkers", str(count), "--nthreads", "1", "--no-dashboard"]
        stack.enter_context(_dask_process([*command, "--local-directory", folder]))
        with distributed.Client(address, timeout=START_S, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=START_S)
        yield address


@contextlib.contextmanager
def _dask_process(words: list[str]) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(START_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
