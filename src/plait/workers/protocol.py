"""The specification of a worker process: the code under test, and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STREAMS = 4  # parallel generators of tests, whatever the number of workers


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """One version of one subject, and the limits its code runs under.

    ``roots`` hold the code under test, ``paths`` what it depends on, as `World.load` wants them. An empty ``module``
    makes a worker without a subject. ``memory_limit`` is in bytes (default: a share of the machine), ``load_timeout``
    in seconds: how long importing the subject may take, which is a part of the campaign's budget. ``cache`` is where
    rewritten code is kept (default: the user's cache folder). A worker that is not for ``rewritten`` code has the
    subject as it is: nothing in it is controlled. Without ``kernel`` the audit hook is alone (for the tests that show
    what it cannot stop).
    """

    module: str = ""
    qualname: str = ""
    file: Path | None = None
    roots: tuple[Path, ...] = ()
    paths: tuple[Path, ...] = ()
    allow: frozenset[str] = frozenset()
    memory_limit: int | None = None
    seed: int = 0
    load_timeout: float = 60.0
    cache: Path | None = None
    rewritten: bool = True
    kernel: bool = True
    environment: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.module}:{self.qualname}" if self.qualname else self.module
