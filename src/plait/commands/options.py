"""Options that several commands share, and how they are read from the command line.

The options class of a command adds its own fields to one of these classes. All are passed by keyword, so that commands
which run other commands (`review`, `audit`, `bisect`, `fix`) can pass on the shared ones by name: `handed_on`.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from plait.config import tests_folder

_READ = ("seed", "budget", "max_tests", "max_schedules", "model", "threads", "fresh")


@dataclass(slots=True, kw_only=True)
class CommandOptions:
    """Fields of every command that runs code under test. A command may override the defaults."""

    project: Path = field(default_factory=Path)
    seed: int = 0
    budget: float | None = None  # seconds
    max_tests: int | None = None
    workers: int = 1
    allow: tuple[str, ...] = ()
    tests: Path | None = None  # the folder of the project's tests, from which examples of arguments are taken
    store: Path | None = None  # the folder of the store
    fresh: bool = False  # use no stored results

    @classmethod
    def read(cls, options: argparse.Namespace, *positional: Any, **own: Any) -> Self:
        """Return options from the command line; ``own`` are those that only this command has, or reads differently."""
        words = {name: getattr(options, name) for name in _READ if hasattr(options, name)}
        shared = {
            "project": options.path, "workers": getattr(options, "workers", None) or os.cpu_count() or 1,
            "allow": tuple(options.allow), "tests": tests_folder(options.path, options.config),
        }  # fmt: skip
        return cls(*positional, **{**words, **shared, **own})

    def handed_on(self, to: type[CommandOptions], **own: Any) -> dict[str, Any]:
        """Return the keyword arguments for a command that this one runs: all shared options, overridden by ``own``."""
        shared = _base_fields(type(self)) & _base_fields(to)
        return {name: getattr(self, name) for name in sorted(shared)} | own


@dataclass(slots=True, kw_only=True)
class SearchOptions(CommandOptions):
    """Fields of every command that explores schedules of tests."""

    max_schedules: int | None = None
    model: str = "both"
    threads: int = 2

    def as_key(self) -> dict[str, Any]:
        """Return, as plain data, everything besides the code that the result of a run depends on."""
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _NO_KEY}
        hints = plain.pop("hints")
        words = {each.name: getattr(hints, each.name) for each in fields(hints)}
        plain = {name: each.as_json() if hasattr(each, "as_json") else each for name, each in plain.items()}
        return {**plain, "hints": repr(sorted(words.items(), key=str))}


_NO_KEY = frozenset({
    "subject", "project", "workers", "hook", "tests", "store", "called", "fresh", "quiet", "cluster", "version",
    "versions",
})  # fmt: skip
"""Options on which no result depends."""


def _base_fields(kind: type[CommandOptions]) -> set[str]:
    base = SearchOptions if issubclass(kind, SearchOptions) else CommandOptions
    return {each.name for each in fields(base)}


def clock_or_steps(options: argparse.Namespace, seconds: float) -> float | None:
    """Return the seconds that a command may take: the default does not apply if there are limits by steps."""
    by_steps = options.budget is None and (options.max_tests is not None or options.max_schedules is not None)
    return None if by_steps else options.budget or seconds
