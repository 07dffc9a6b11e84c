"""What `plait diff` was asked for."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from plait.config import Config, tests_folder
from plait.generate.catalogue import Hints
from plait.model.choices import EXHAUSTIVE
from plait.store.database import FOLDER
from plait.subject.name import Subject
from plait.workers.cluster import Cluster, cluster_of

DEFAULT_BUDGET = 60.0


@dataclass(slots=True)
class DiffOptions:
    """Plain data."""

    subject: Subject
    old: str = "HEAD"
    new: str = "worktree"
    project: Path = field(default_factory=Path)
    seed: int = 0
    budget: float = DEFAULT_BUDGET
    max_tests: int | None = None
    max_schedules: int | None = None
    model: str = "both"
    threads: int = 2
    workers: int = 2
    filter: bool = True
    allow: tuple[str, ...] = ()
    hints: Hints = field(default_factory=Hints)
    nondeterministic: tuple[str, ...] = ()
    hook: Path | None = None
    tests: Path | None = None
    explain: bool = True  # minimise and explain what was found
    reproduce: bool = True  # write a regression test
    schedule: str = "dpor"  # the search that explores a test; it must come to an end
    capp: str | None = None  # what the explorations look at first
    store: Path | None = None  # the folder of what is remembered between runs
    called: str = ""  # what the comparison is called there; else by its versions
    fresh: bool = False
    quiet: bool = True
    cluster: Cluster | None = None  # instead of processes on this machine

    def as_key(self) -> dict[str, Any]:
        """Return all that the result of a run depends on, besides the code: plain data."""
        unimportant = {
            "subject", "project", "workers", "hook", "tests", "store", "called", "fresh", "quiet", "hints", "cluster",
        }  # fmt: skip
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in unimportant}
        hints = {each.name: getattr(self.hints, each.name) for each in fields(self.hints)}
        return {**plain, "hints": repr(sorted(hints.items(), key=str))}


def diff_options(options: argparse.Namespace) -> DiffOptions:
    """Return the command line's words as options."""
    config: Config = options.config
    words = config.subject(options.argument)
    # The command line offers no other search. A project's settings may name one that is meant for `plait check`.
    schedule = options.schedule if options.schedule in EXHAUSTIVE else "dpor"
    return DiffOptions(
        Subject.parse(options.argument, path=options.path), options.old, options.new, options.path, options.seed,
        options.budget or DEFAULT_BUDGET, options.max_tests, options.max_schedules, options.model, options.threads,
        options.workers or os.cpu_count() or 2, not options.no_filter, tuple(options.allow),
        words.hints, words.nondeterministic, config.hook, tests_folder(options.path, config), schedule=schedule,
        capp=options.capp, store=Path(FOLDER), fresh=options.fresh, quiet=options.quiet, cluster=cluster_of(options),
    )  # fmt: skip
