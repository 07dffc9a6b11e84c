"""What commands are asked for: the fields that they share, and the one way to read them from the command line.

A command's own class of options adds its fields to one of these. All are given by keyword, so that commands which run
others (`review`, `audit`, `bisect`, `fix`) hand on what they share by name: `handed_on`.
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
    """Fields of every command that runs code under test. A command's own defaults replace these."""

    project: Path = field(default_factory=Path)
    seed: int = 0
    budget: float | None = None  # seconds
    max_tests: int | None = None
    workers: int = 1
    allow: tuple[str, ...] = ()
    tests: Path | None = None  # the folder of the project's tests: examples of arguments
    store: Path | None = None  # the folder of what is remembered between runs
    fresh: bool = False  # take nothing from there

    @classmethod
    def read(cls, options: argparse.Namespace, *positional: Any, **own: Any) -> Self:
        """Return the command line's words as options; ``own`` are those that only this command has, or reads itself."""
        words = {name: getattr(options, name) for name in _READ if hasattr(options, name)}
        shared = {
            "project": options.path, "workers": getattr(options, "workers", None) or os.cpu_count() or 1,
            "allow": tuple(options.allow), "tests": tests_folder(options.path, options.config),
        }  # fmt: skip
        return cls(*positional, **{**words, **shared, **own})

    def handed_on(self, to: type[CommandOptions], **own: Any) -> dict[str, Any]:
        """Return what a command that is run by this one gets: all that both share, but for ``own``."""
        shared = _base_fields(type(self)) & _base_fields(to)
        return {name: getattr(self, name) for name in sorted(shared)} | own


@dataclass(slots=True, kw_only=True)
class SearchOptions(CommandOptions):
    """Fields of every command that explores schedules of tests."""

    max_schedules: int | None = None
    model: str = "both"
    threads: int = 2

    def as_key(self) -> dict[str, Any]:
        """Return all that the result of a run depends on, besides the code: plain data."""
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _NO_KEY}
        hints = plain.pop("hints")
        words = {each.name: getattr(hints, each.name) for each in fields(hints)}
        plain = {name: each.as_json() if hasattr(each, "as_json") else each for name, each in plain.items()}
        return {**plain, "hints": repr(sorted(words.items(), key=str))}


_NO_KEY = frozenset({
    "subject", "project", "workers", "hook", "tests", "store", "called", "fresh", "quiet", "cluster", "version",
    "versions",
})  # fmt: skip
"""What no result depends on."""


def _base_fields(kind: type[CommandOptions]) -> set[str]:
    base = SearchOptions if issubclass(kind, SearchOptions) else CommandOptions
    return {each.name for each in fields(base)}


def clock_or_steps(options: argparse.Namespace, seconds: float) -> float | None:
    """Return the seconds that a command may take: limits by steps take the place of the default."""
    by_steps = options.budget is None and (options.max_tests is not None or options.max_schedules is not None)
    return None if by_steps else options.budget or seconds
