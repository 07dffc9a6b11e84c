"""Run the tasks of a command on a Dask cluster, with the same answers as on one machine.

The code under test is sent as an archive, also to workers that join later. Its dependencies and plait must be installed
where Dask's workers run.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import io
import pickle
import tarfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plait.errors import UsageError
from plait.workers.cluster_site import (
    Shipment,
    answer_of_site,
    close_site,
    open_site,
    perform,
)
from plait.workers.pool import (
    FORGIVEN,
    Answer,
    WorkerCrashed,
    Workers,
)
from plait.workers.protocol import WorkerSpec

MOST_BYTES = 64 * 1024 * 1024
_LEFT_OUT = frozenset({"__pycache__", "node_modules", "build", "dist", "site-packages", "venv", "plait-out"})


def open_workers(spec: WorkerSpec, count: int, cluster: Cluster | None, tests: Path | None = None) -> Workers:
    """Return ``count`` workers on this machine, or those of a cluster, which receive the project's ``tests``."""
    if cluster is None:
        return Workers(spec, count=count)
    return ClusterWorkers(spec, cluster, () if tests is None else (tests,))


class ClusterWorkers(Workers):
    """The workers of a cluster, with the interface of `Workers`; ``beside`` are further folders that tasks read."""

    def __init__(self, spec: WorkerSpec, cluster: Cluster, beside: tuple[Path, ...] = ()) -> None:
        self.spec = spec
        self._client = cluster.client()
        self._open: set[_Remote] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        try:
            self._shipment = shipment(spec, beside)
            self._client.register_plugin(_plugin(self._shipment))
        except BaseException:
            self._client.close()
            raise

    def attempt(
        self, task: Callable[..., Any], *args: Any, timeout: float, stall: float | None = None, retries: int = 1
    ) -> Future[Answer]:
        """Run a task as `Workers.attempt` does; a future that is cancelled ends its task, even one that has started."""
        if self._closed.is_set():
            raise RuntimeError("the workers are closed")
        future = _Remote((self._shipment.key, task, pickle.dumps(args), timeout, stall, 1 + retries))
        with self._lock:
            self._open.add(future)
        self._send(future)
        return future

    def _send(self, future: _Remote) -> None:
        future.remote = self._client.submit(perform, *future.call, pure=False)
        future.remote.add_done_callback(lambda remote: self._done(future, remote))

    def _done(self, future: _Remote, remote: Any) -> None:
        """Handle an answer, a failure, or the loss of a worker: Dask retries its work elsewhere, but not for ever."""
        if future.cancelled() or self._closed.is_set():
            self._end(future, CancelledError())
            return
        if remote.status == "finished":
            try:
                told = answer_of_site(remote.result(), future.call[1])
            except Exception as error:
                told = error
            self._end(future, told)
        elif future.forgiven > 0:
            future.forgiven -= 1
            self._send(future)
        else:
            self._end(future, WorkerCrashed(f"the cluster gave no answer: {remote.exception()}", outside=True))

    def _end(self, future: _Remote, outcome: Answer | BaseException) -> None:
        with self._lock:
            self._open.discard(future)
        if future.cancelled() or not future.set_running_or_notify_cancel():
            return
        if isinstance(outcome, BaseException):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    def drop(self) -> None:
        """Cancel all running tasks; their answers are not needed."""
        with self._lock:
            waiting = list(self._open)
        for future in waiting:
            future.cancel()

    def close(self) -> None:
        """Leave the cluster as it was."""
        if self._closed.is_set():
            return
        self._closed.set()
        self.drop()
        with contextlib.suppress(Exception):  # it may be gone
            self._client.unregister_worker_plugin(self._shipment.key)
        self._client.close()


class _Remote(Future[Answer]):
    """A future that, when it is cancelled, also cancels its task on the cluster."""

    def __init__(self, call: tuple[Any, ...]) -> None:
        super().__init__()
        self.call = call
        self.remote: Any = None
        self.forgiven = FORGIVEN

    def cancel(self) -> bool:
        cancelled = super().cancel()
        if cancelled and self.remote is not None:
            self.remote.cancel()
        return cancelled


def _plugin(made: Shipment) -> Any:
    class Shipping(distributed().WorkerPlugin):  # type: ignore[misc]
        name = made.key

        def setup(self, worker: Any) -> None:
            open_site(made, worker.state.nthreads)

        def teardown(self, worker: Any) -> None:
            close_site(made.key)

    return Shipping()


# -- shipping -------------------------------------------------------------------------------------------------------


def shipment(spec: WorkerSpec, beside: tuple[Path, ...] = ()) -> Shipment:
    """Return all files of the code under test, and of the further folders, except files that tools generate."""
    own = [*spec.roots, *spec.paths, *([spec.file.parent] if spec.file is not None else ()), *beside]
    wanted = sorted({path.resolve() for path in own if path.is_dir()})
    folders = [path for path in wanted if not any(path != other and path.is_relative_to(other) for other in wanted)]
    names = {str(folder): f"{number}" for number, folder in enumerate(folders)}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for folder in folders:
            for file in _files(folder):
                archive.add(file, f"{names[str(folder)]}/{file.relative_to(folder)}", recursive=False)
                if packed.tell() > MOST_BYTES:
                    raise UsageError(f"{folder} is too large to be shipped to a cluster: name the code with --path")
    content = packed.getvalue()
    resolved = replace(
        spec, roots=tuple(path.resolve() for path in spec.roots), paths=tuple(path.resolve() for path in spec.paths),
        file=None if spec.file is None else spec.file.resolve(), cache=None,
    )  # fmt: skip
    key = f"plait-{hashlib.sha256(content + pickle.dumps(resolved)).hexdigest()[:16]}"
    return Shipment(key, resolved, names, content)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name.startswith(".") or path.name in _LEFT_OUT:
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


# -- cluster options ---------------------------------------------------------------------------------------------------
# The choice of a cluster.


CONNECT_S = 10.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """The address of the scheduler, and the files for encryption, if it is used."""

    address: str
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    @property
    def is_encrypted(self) -> bool:
        """True if any file for encryption was given."""
        return any((self.ca, self.cert, self.key))

    def client(self) -> Any:
        """Return a connection; `UsageError` if there is none."""
        found = distributed()
        security = None
        if self.is_encrypted:
            names = {"tls_ca_file": self.ca, "tls_client_cert": self.cert, "tls_client_key": self.key}
            files = {name: str(file) for name, file in names.items() if file is not None}
            missing = [text for text in files.values() if not Path(text).is_file()]
            if missing:
                raise UsageError(f"--cluster: there is no file {missing[0]!r}")
            security = found.Security(require_encryption=True, **files)
        try:
            # Results are bytes, which "dask" reads without pickle.
            return found.Client(
                self.address, timeout=CONNECT_S, set_as_default=False, security=security, deserializers=["dask"]
            )
        except Exception as error:
            said = " ".join(str(error).split())[:160]
            raise UsageError(f"--cluster: no Dask scheduler answers at {self.address!r} ({said})") from None


def cluster_of(options: argparse.Namespace) -> Cluster | None:
    """Return the cluster that the command line names; None if it names none."""
    if options.cluster is None:
        return None
    return Cluster(options.cluster, options.cluster_ca, options.cluster_cert, options.cluster_key)


def distributed() -> Any:
    """Import Dask's package, which only the extra installs."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise UsageError("--cluster needs the extra `cluster`: pip install 'plait[cluster]'") from None
