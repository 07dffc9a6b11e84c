"""What `plait check` was asked for."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from plait.config import Config, SubjectConfig, tests_folder
from plait.errors import UsageError
from plait.generate.catalogue import Hints
from plait.judge.oracle.rules import Rules
from plait.store.database import FOLDER
from plait.subject.name import Subject
from plait.subject.versions.version import Version
from plait.workers.cluster import Cluster, cluster_of
from plait.workers.protocol import STREAMS

DEFAULT_BUDGET = 60.0


@dataclass(slots=True)
class CheckOptions:
    """Plain data."""

    subject: Subject
    at: str = "worktree"
    project: Path = field(default_factory=Path)
    seed: int = 0
    budget: float | None = None  # seconds; without any limit, a minute
    max_tests: int | None = None
    max_schedules: int | None = None
    model: str = "both"
    threads: int = 2
    workers: int = 1
    generate: str = "covcon"
    order: str | None = None
    capp: str | None = None
    old: str = "HEAD"  # the version that a change-aware order compares with
    streams: int = STREAMS
    deeper: bool = True
    allow: tuple[str, ...] = ()
    hints: Hints = field(default_factory=Hints)
    rules: Rules = field(default_factory=Rules)
    hook: Path | None = None
    tests: Path | None = None
    keep_going: bool = True  # behind the first finding
    store: Path | None = None  # the folder of what is remembered between runs
    called: str = ""  # what the version is called there; else by ``at``
    fresh: bool = False
    quiet: bool = True
    cluster: Cluster | None = None  # instead of processes on this machine
    version: Version | None = None  # opened already: it is taken for ``at``

    @property
    def name(self) -> str:
        """The subject as users write it."""
        return f"{self.subject.module}:{self.subject.qualname}".rstrip(":")

    @property
    def kept_as(self) -> str:
        """What findings are kept under: what one version no longer shows, another one still may."""
        return kept_as(self.name, self.called or self.at)

    def as_key(self) -> dict[str, Any]:
        """Return all that the result of a run depends on, besides the code: plain data."""
        unimportant = {
            "subject", "project", "workers", "hook", "tests", "store", "called", "fresh", "quiet", "hints", "rules",
            "cluster", "version",
        }  # fmt: skip
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in unimportant}
        hints = {each.name: getattr(self.hints, each.name) for each in fields(self.hints)}
        return {**plain, "hints": repr(sorted(hints.items(), key=str)), "rules": self.rules.as_json()}


def kept_as(name: str, version: str) -> str:
    """Return a subject in one version, in the store."""
    return name if version == "worktree" else f"{name} at {version}"


def check_options(options: argparse.Namespace) -> CheckOptions:
    """Return the command line's words as options."""
    config: Config = options.config
    if options.capp not in (None, "none") and options.schedule is not None:
        from plait.explore.registry import AIMED  # noqa: PLC0415 - all searches are imported with it

        if options.schedule not in AIMED:
            raise UsageError(
                f"--schedule {options.schedule} has no order that --capp could change; choose {', '.join(AIMED)}, or "
                "no --schedule"
            )
    subject = Subject.parse(options.argument, path=options.path)
    words: SubjectConfig = config.subject(options.argument)
    return CheckOptions(
        subject, options.at, options.path, options.seed, options.budget, options.max_tests,
        options.max_schedules, options.model, options.threads, options.workers or os.cpu_count() or 1,
        options.generate, options.schedule, options.capp, options.old, allow=tuple(options.allow), hints=words.hints,
        rules=Rules(words.invariant, words.nondeterministic), hook=config.hook,
        tests=tests_folder(options.path, config), store=Path(FOLDER), fresh=options.fresh, quiet=options.quiet,
        cluster=cluster_of(options),
    )  # fmt: skip
