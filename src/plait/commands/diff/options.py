"""The options of `plait diff`."""

from __future__ import annotations

import argparse
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from plait.commands.options import SearchOptions
from plait.config import Config
from plait.generate.catalogue import Hints
from plait.model.choices import EXHAUSTIVE
from plait.store.database import FOLDER
from plait.subject.name import Subject
from plait.subject.versions.version import Version
from plait.workers.cluster import Cluster, cluster_of

DEFAULT_BUDGET = 60.0


@dataclass(slots=True)
class DiffOptions(SearchOptions):
    """The options of one comparison."""

    subject: Subject
    old: str = "HEAD"
    new: str = "worktree"
    _: KW_ONLY
    budget: float = DEFAULT_BUDGET
    workers: int = 2
    filter: bool = True
    hints: Hints = field(default_factory=Hints)
    nondeterministic: tuple[str, ...] = ()
    hook: Path | None = None
    explain: bool = True  # minimise and explain the findings
    reproduce: bool = True  # write a regression test
    schedule: str = "dpor"  # the search that explores a test; it must be exhaustive
    capp: str | None = None  # the heuristic that says which changed code explorations preempt at first
    called: str = ""  # the name of the comparison in the store, if it is not made of the versions
    quiet: bool = True
    cluster: Cluster | None = None  # use this instead of processes on this machine
    versions: tuple[Version, Version] | None = None  # open versions, used instead of ``old`` and ``new``


def diff_options(options: argparse.Namespace) -> DiffOptions:
    """Return the options from the command line."""
    config: Config = options.config
    words = config.subject(options.argument)
    # The command line offers no other search, but a project's settings may name one that is meant for `plait check`.
    schedule = options.schedule if options.schedule in EXHAUSTIVE else "dpor"
    return DiffOptions.read(
        options, Subject.parse(options.argument, path=options.path), options.old, options.new,
        budget=options.budget or DEFAULT_BUDGET, filter=not options.no_filter, hints=words.hints,
        nondeterministic=words.nondeterministic, hook=config.hook, schedule=schedule, capp=options.capp,
        store=Path(FOLDER), quiet=options.quiet, cluster=cluster_of(options),
    )  # fmt: skip
