"""The two versions of a subject, each in its own worker processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plait.commands.budget import LONGEST_IMPORT
from plait.errors import PlaitBugError, SpoiltError
from plait.run.native.process import memory_share
from plait.subject.changes.change import Side
from plait.subject.name import Subject
from plait.subject.versions.version import Version
from plait.workers.cluster import Cluster, open_workers
from plait.workers.failures import WorkerCrashed, WorkerFailed
from plait.workers.pool import Answer, Workers
from plait.workers.protocol import WorkerSpec

PATIENCE = 60.0  # seconds for one task before its worker is given up
STALL = 10.0  # seconds without a sign of life


class LateError(Exception):
    """A task was still running when its time was up."""


@dataclass(frozen=True, slots=True)
class PendingPair:
    """A task running on both versions; ``until`` is the `time.monotonic` at which to stop waiting for it."""

    old: Future[Answer]
    new: Future[Answer]
    until: float | None = None

    def values(self) -> tuple[Any, Any]:
        """Return both results; raise the error of the first that failed, or `LateError`."""
        return awaited(self.old, self.until), awaited(self.new, self.until)


def awaited(future: Future[Answer], until: float | None) -> Any:
    """Return the result of a task; raise `LateError` if it is late, or a `WorkerError` if it failed."""
    left = None if until is None else max(0.0, until - time.monotonic())
    if not wait([future], left).done:
        raise LateError
    try:
        return future.result().value
    except SpoiltError as error:
        raise WorkerCrashed(str(error)) from None
    except PlaitBugError as error:  # an internal error costs this task, not the whole comparison
        raise WorkerFailed(str(error).partition("\n")[0]) from None


class Sides:
    """Runs tasks in the workers of either version or of both; for tasks on both, ``until`` limits the time."""

    def __init__(self, old: Workers, new: Workers) -> None:
        self._workers: dict[Side, Workers] = {"old": old, "new": new}
        self.until: float | None = None

    def on(self, side: Side, task: Callable[..., Any], *args: Any, patience: float = PATIENCE) -> Future[Answer]:
        """Run a task on one version; it is retried once if the worker is lost."""
        return self._workers[side].attempt(task, *args, timeout=patience, stall=STALL)

    def both(self, task: Callable[..., Any], *args: Any, patience: float = PATIENCE) -> PendingPair:
        """Run a task on both versions."""
        begun = self.each(self._workers, task, *args, patience=patience)
        return PendingPair(begun["old"], begun["new"], self.until)

    def each(
        self, sides: Iterable[Side], task: Callable[..., Any], *args: Any, patience: float = PATIENCE
    ) -> dict[Side, Future[Answer]]:
        """Run a task on some of the versions."""
        begun: dict[Side, Future[Answer]] = {}
        for side in sides:
            begun[side] = self._workers[side].attempt(task, *args, timeout=patience, stall=STALL)
        return begun

    def drop(self) -> None:
        """Cancel tasks that have not begun."""
        for workers in self._workers.values():
            workers.drop()


@contextmanager
def open_sides(
    subject: Subject, old: Version, new: Version, *, workers: int, allow: tuple[str, ...] = (),
    hook: Path | None = None, cluster: Cluster | None = None, tests: Path | None = None,
    import_s: float = LONGEST_IMPORT,
) -> Iterator[Sides]:  # fmt: skip
    """Start the processes: ``workers`` in all, at least one for each version. They can import the user's hook.

    On a ``cluster``, both versions and the project's ``tests`` are sent to all of its workers.
    """
    with ExitStack() as stack:
        shares = (max(1, workers // 2), max(1, workers - workers // 2))
        memory = memory_share(sum(shares))
        made = []
        for version, share in zip((old, new), shares, strict=True):
            spec = _spec(subject, version, allow, None if cluster is not None else memory, hook)
            spec = replace(spec, load_timeout=import_s)
            made.append(stack.enter_context(open_workers(spec, share, cluster, tests)))
        yield Sides(made[0], made[1])


def _spec(
    subject: Subject, version: Version, allow: tuple[str, ...], memory: int | None, hook: Path | None
) -> WorkerSpec:
    # Always by the module's name: a file that the user named belongs to one version only.
    roots = (version.root, *([hook.resolve().parent] if hook is not None else ()))
    return WorkerSpec(
        module=subject.module, qualname=subject.qualname, roots=roots, paths=tuple(version.extra),
        allow=frozenset(allow), memory_limit=memory,
    )  # fmt: skip
