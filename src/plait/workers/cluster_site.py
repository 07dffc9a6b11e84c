"""The end of a cluster campaign on a Dask worker: unpacks the code under test and runs tasks on it.

A Dask worker never imports code under test itself: it has worker processes of its own for that, as a campaign has on
one machine, so that what kills or hangs them is told in the same way.
"""

from __future__ import annotations

import io
import multiprocessing
import shutil
import tarfile
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from plait.errors import PlaitBugError, UsageError
from plait.workers.failures import WorkerCrashed, WorkerError, WorkerHung
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec, pack, unpack


@dataclass(frozen=True, slots=True)
class Shipment:
    """What a worker must have: ``folders`` maps each folder of the campaign's machine to its name in ``archive``."""

    key: str
    spec: WorkerSpec
    folders: Mapping[str, str]
    archive: bytes


class ClusterSite:
    """A shipment, unpacked, with processes for its tasks."""

    def __init__(self, shipment: Shipment, count: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="plait-cluster-")).resolve()
        with tarfile.open(fileobj=io.BytesIO(shipment.archive)) as archive:
            archive.extractall(self.folder, filter="data")
        self._here = {local: str(self.folder / name) for local, name in shipment.folders.items()}
        self._there = {here: local for local, here in self._here.items()}
        # Dask's own processes are daemons, which may have no children; these end with their parent by themselves.
        multiprocessing.current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]
        self._workers = Workers(moved(shipment.spec, self._here), count=count)

    def perform(self, task: Callable[..., Any], args: bytes, timeout: float, stall: float | None, tries: int) -> bytes:
        """Return the answer, or how there came to be none, packed; in terms of the campaign's machine."""
        try:
            future = self._workers.attempt(
                task, *moved(unpack(args), self._here), timeout=timeout, stall=stall, retries=tries - 1
            )
            answer = future.result()
            content: tuple[str, Any] = ("answer", (answer.value, answer.stopped, answer.output, answer.changed))
        except (WorkerCrashed, WorkerHung) as error:
            content = (type(error).__name__, {name: getattr(error, name) for name in _FIELDS if hasattr(error, name)})
        except (UsageError, PlaitBugError) as error:
            content = (type(error).__name__, str(error))
        return pack(moved(content, self._there))

    def close(self) -> None:
        """End the processes, remove the files."""
        self._workers.close()
        shutil.rmtree(self.folder, ignore_errors=True)


_FIELDS = ("reason", "output", "trace", "note", "stopped", "exit_code", "signal", "outside", "seconds", "waits")
_sites: dict[str, ClusterSite] = {}
_guard = threading.Lock()


def open_site(shipment: Shipment, count: int) -> None:
    """Prepare this process; harmless when repeated."""
    with _guard:
        if shipment.key not in _sites:
            _sites[shipment.key] = ClusterSite(shipment, count)


def close_site(key: str) -> None:
    """Let go of what was shipped."""
    with _guard:
        site = _sites.pop(key, None)
    if site is not None:
        site.close()


def perform(key: str, task: Callable[..., Any], args: bytes, timeout: float, stall: float | None, tries: int) -> bytes:
    """Run a task on what was shipped under ``key``."""
    return _sites[key].perform(task, args, timeout, stall, tries)


def failure_of(name: str, content: Any) -> WorkerError | UsageError | PlaitBugError:
    """Return what a site has told about a task without an answer, as an exception."""
    if name == "UsageError":
        return UsageError(content)
    if name == "PlaitBugError":
        return PlaitBugError(content)
    told = dict(content)
    reason = told.pop("reason")
    if name == "WorkerHung":
        return WorkerHung(told.pop("seconds"), **told)
    return WorkerCrashed(reason, **told)


def moved(value: Any, folders: Mapping[str, str]) -> Any:
    """Plain data with all paths below some folders as they are elsewhere; the longest fitting folder decides."""
    if isinstance(value, str):
        return _moved_text(value, folders)
    if isinstance(value, Path):
        return Path(_moved_text(str(value), folders))
    if isinstance(value, dict):
        return {moved(key, folders): moved(part, folders) for key, part in value.items()}
    if isinstance(value, tuple):
        parts = [moved(part, folders) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if type(value) in (list, set, frozenset):
        return type(value)(moved(part, folders) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        changes = {each.name: moved(getattr(value, each.name), folders) for each in fields(value) if each.init}
        return replace(value, **changes)
    return value


def _moved_text(text: str, folders: Mapping[str, str]) -> str:
    for folder in sorted(folders, key=len, reverse=True):
        if folder in text:
            return text.replace(folder, folders[folder])
    return text
