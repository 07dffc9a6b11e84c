"""The two versions of a subject, each in worker processes of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plait.commands.budget import LONGEST_IMPORT
from plait.errors import PlaitBugError
from plait.run.native.process import memory_share
from plait.subject.changes.change import Side
from plait.subject.name import Subject
from plait.subject.versions.version import Version
from plait.workers.cluster import Cluster, open_workers
from plait.workers.failures import WorkerFailed
from plait.workers.pool import Answer, Workers
from plait.workers.protocol import WorkerSpec

PATIENCE = 60.0  # seconds that a task may take before its worker is given up
STALL = 10.0  # seconds without a sign of life


class LateError(Exception):
    """A task was still under way when there was no more time for it."""


@dataclass(frozen=True, slots=True)
class PendingPair:
    """A task under way on both versions, waited for ``until`` a moment of `time.monotonic`."""

    old: Future[Answer]
    new: Future[Answer]
    until: float | None = None

    def values(self) -> tuple[Any, Any]:
        """Return both results; raises what the first failed one raised, or `LateError`."""
        return awaited(self.old, self.until), awaited(self.new, self.until)


def awaited(future: Future[Answer], until: float | None) -> Any:
    """Return what a task returned; `LateError` if it did not in time, a `WorkerError` if it could not."""
    left = None if until is None else max(0.0, until - time.monotonic())
    if not wait([future], left).done:
        raise LateError
    try:
        return future.result().value
    except PlaitBugError as error:  # it costs what was asked for, and not the comparison
        raise WorkerFailed(str(error).partition("\n")[0]) from None


class Sides:
    """Hands tasks to the workers of either version, or of both; for those of both there is time ``until`` a moment."""

    def __init__(self, old: Workers, new: Workers) -> None:
        self._workers: dict[Side, Workers] = {"old": old, "new": new}
        self.until: float | None = None

    def on(self, side: Side, task: Callable[..., Any], *args: Any, patience: float = PATIENCE) -> Future[Answer]:
        """Run a task on one version; a lost worker is forgiven once."""
        return self._workers[side].attempt(task, *args, timeout=patience, stall=STALL)

    def both(self, task: Callable[..., Any], *args: Any, patience: float = PATIENCE) -> PendingPair:
        """Run a task on both versions."""
        begun: dict[Side, Future[Answer]] = {}
        for side, workers in self._workers.items():
            begun[side] = workers.attempt(task, *args, timeout=patience, stall=STALL)
        return PendingPair(begun["old"], begun["new"], self.until)

    def drop(self) -> None:
        """Forget what has not begun."""
        for workers in self._workers.values():
            workers.drop()


@contextmanager
def open_sides(
    subject: Subject, old: Version, new: Version, *, workers: int, allow: tuple[str, ...] = (),
    hook: Path | None = None, cluster: Cluster | None = None, tests: Path | None = None,
    import_s: float = LONGEST_IMPORT,
) -> Iterator[Sides]:  # fmt: skip
    """Start the processes, ``workers`` in all and at least one for each version; they can import the user's hook.

    On a ``cluster`` both versions, and the project's ``tests``, go to all of its workers.
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
    # By its module's name, never by the file that the user gave: each version has one of its own.
    roots = (version.root, *([hook.resolve().parent] if hook is not None else ()))
    return WorkerSpec(
        module=subject.module, qualname=subject.qualname, roots=roots, paths=tuple(version.extra),
        allow=frozenset(allow), memory_limit=memory,
    )  # fmt: skip
