"""The side of a Dask worker: unpack the code under test, and run tasks on it.

A Dask worker never imports code under test itself. It has worker processes for that, as a command has on one machine,
so that crashes and hangs are reported in the same way.
"""

from __future__ import annotations

import io
import pickle
import tarfile
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from plait.errors import BUG, PlaitBugError, UsageError
from plait.subject.versions.scratch import remove_tree
from plait.workers.channel import VALUE, Incoming, Reply, read_frame, write_frame
from plait.workers.failures import WorkerCrashed, WorkerError, WorkerHung
from plait.workers.pool import Answer, Workers
from plait.workers.protocol import WorkerSpec
from plait.workers.schema import FrameError, return_type


@dataclass(frozen=True, slots=True)
class Shipment:
    """The files that a worker needs: ``folders`` maps folders of the parent's machine to their names in ``archive``."""

    key: str
    spec: WorkerSpec
    folders: Mapping[str, str]
    archive: bytes


class _ClusterSite:
    """An unpacked shipment, with worker processes for its tasks."""

    def __init__(self, shipment: Shipment, count: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="plait-cluster-")).resolve()
        with tarfile.open(fileobj=io.BytesIO(shipment.archive)) as archive:
            if hasattr(tarfile, "data_filter"):
                archive.extraction_filter = tarfile.data_filter
            archive.extractall(self.folder)  # noqa: S202 - from the campaign; the filter came with 3.11.4
        self._here = {local: str(self.folder / name) for local, name in shipment.folders.items()}
        self._there = {here: local for local, here in self._here.items()}
        self._workers = Workers(moved(shipment.spec, self._here), count=count)

    def perform(self, task: Callable[..., Any], args: bytes, timeout: float, stall: float | None, tries: int) -> bytes:
        """Run a task; return its answer or failure as a frame, with the paths of the parent's machine."""
        try:
            wanted = moved(pickle.loads(args), self._here)  # noqa: S301 - from the campaign
            answer = self._workers.attempt(task, *wanted, timeout=timeout, stall=stall, retries=tries - 1).result()
            rest = moved((answer.stopped, answer.output, answer.changed), self._there)
            return _ANSWER + write_frame(
                Reply(0, VALUE, "", *rest), moved(answer.value, self._there), return_type(task)
            )
        except WorkerError as error:
            told = {each.name: getattr(error, each.name) for each in fields(SiteFailure) if hasattr(error, each.name)}
            failure = SiteFailure(type(error).__name__, **told)
        except Exception as error:  # as text: Dask would pickle it
            failure = SiteFailure(type(error).__name__, str(error), about=getattr(error, "about", ""))
        return _FAILURE + write_frame(Reply(0, VALUE), moved(failure, self._there), SiteFailure)

    def close(self) -> None:
        """End the processes, remove the files."""
        self._workers.close()
        remove_tree(self.folder)


@dataclass(frozen=True, slots=True)
class SiteFailure:
    """The failure of a task: the name of an exception of `plait.workers.failures`, and its attributes."""

    name: str
    reason: str = ""
    output: str = ""
    trace: str = ""
    note: dict[str, Any] | None = None
    stopped: tuple[dict[str, str], ...] = ()
    exit_code: int | None = None
    signal: int | None = None
    outside: bool = False
    seconds: float = 0.0
    waits: bool = False
    loading: bool = False
    about: str = ""

    def exception(self) -> WorkerError | UsageError | PlaitBugError:
        """Return the exception that the same failure raises on one machine."""
        rest: dict[str, Any] = {"output": self.output, "trace": self.trace, "note": self.note, "stopped": self.stopped}
        if self.name == "WorkerHung":
            return WorkerHung(self.seconds, waits=self.waits, loading=self.loading, **rest)
        if self.name == "WorkerCrashed":
            ended: dict[str, Any] = {"exit_code": self.exit_code, "signal": self.signal, "outside": self.outside}
            return WorkerCrashed(self.reason, **ended, **rest)
        if self.name == "UsageError":
            return UsageError(self.reason, about=self.about)
        return PlaitBugError(self.reason.removeprefix(BUG).strip())


_ANSWER, _FAILURE = b"A", b"F"
_sites: dict[str, _ClusterSite] = {}
_guard = threading.Lock()


def open_site(shipment: Shipment, count: int) -> None:
    """Prepare this process for a shipment; further calls do nothing."""
    with _guard:
        if shipment.key not in _sites:
            _sites[shipment.key] = _ClusterSite(shipment, count)


def close_site(key: str) -> None:
    """Close the site of a shipment."""
    with _guard:
        site = _sites.pop(key, None)
    if site is not None:
        site.close()


def perform(key: str, task: Callable[..., Any], args: bytes, timeout: float, stall: float | None, tries: int) -> bytes:
    """Run a task on the shipment ``key``."""
    return _sites[key].perform(task, args, timeout, stall, tries)


def answer_of_site(data: object, task: Callable[..., Any]) -> Answer | Exception:
    """Return the answer of a site to a task, or raise its failure."""
    failed = isinstance(data, bytes) and data[:1] == _FAILURE
    try:
        frame = Incoming().feed(data[1:]) if isinstance(data, bytes) else None
        reply, value = read_frame(frame or b"", SiteFailure if failed else return_type(task))
        return value.exception() if failed else Answer(value, reply.stopped, reply.output, reply.changed)
    except FrameError as error:
        return WorkerCrashed(f"the cluster sent what is no answer: {error}")


def moved(value: Any, folders: Mapping[str, str]) -> Any:
    """Return plain data with paths translated between machines; the longest matching folder decides."""
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
