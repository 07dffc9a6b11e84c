"""What `plait check` was asked for."""

from __future__ import annotations

import argparse
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from plait.commands.options import SearchOptions
from plait.config import Config, SubjectConfig
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
class CheckOptions(SearchOptions):
    """Plain data. Without a budget or a number of tests or schedules, a minute is taken."""

    subject: Subject
    at: str = "worktree"
    _: KW_ONLY
    generate: str = "covcon"
    order: str | None = None
    capp: str | None = None
    old: str = "HEAD"  # the version that a change-aware order compares with
    streams: int = STREAMS
    deeper: bool = True
    hints: Hints = field(default_factory=Hints)
    rules: Rules = field(default_factory=Rules)
    hook: Path | None = None
    keep_going: bool = True  # behind the first finding
    called: str = ""  # what the version is called there; else by ``at``
    quiet: bool = True
    cluster: Cluster | None = None  # instead of processes on this machine
    version: Version | None = None  # opened already: it is taken for ``at``

    @property
    def name(self) -> str:
        """The subject as users write it."""
        return f"{self.subject.module}:{self.subject.qualname}".rstrip(":")

    @property
    def kept_as(self) -> str:
        """Return the name that findings are kept under: one version may still show what another one no longer does."""
        return kept_as(self.name, self.called or self.at)


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
    return CheckOptions.read(
        options, subject, options.at, generate=options.generate, order=options.schedule, capp=options.capp,
        old=options.old, hints=words.hints, rules=Rules(words.invariant, words.nondeterministic), hook=config.hook,
        store=Path(FOLDER), quiet=options.quiet, cluster=cluster_of(options),
    )  # fmt: skip
