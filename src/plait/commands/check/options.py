"""The options of `plait check`."""

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
    """The options of one check. Without a limit of time, tests or schedules, the budget is a minute."""

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
    keep_going: bool = True  # continue after the first finding
    called: str = ""  # the name of the version in the store, if it is not ``at``
    quiet: bool = True
    cluster: Cluster | None = None  # use this instead of processes on this machine
    version: Version | None = None  # an open version, used instead of ``at``

    @property
    def name(self) -> str:
        """The subject as users write it."""
        return f"{self.subject.module}:{self.subject.qualname}".rstrip(":")

    @property
    def kept_as(self) -> str:
        """The name under which findings are stored, with the version: one version may show what another has fixed."""
        return kept_as(self.name, self.called or self.at)


def kept_as(name: str, version: str) -> str:
    """Return the name of a subject in one version for the store."""
    return name if version == "worktree" else f"{name} at {version}"


def check_options(options: argparse.Namespace) -> CheckOptions:
    """Return the options from the command line."""
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
