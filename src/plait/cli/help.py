"""The output of `plait COMMAND --help`, made from the tables of options and commands."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plait.cli.main import Command, Option

_GROUPS = {
    "which code": ("at", "old", "new", "base", "good", "bad", "path"),
    "how much": (
        "budget",
        "max-tests",
        "max-schedules",
        "seed",
        "fresh",
        "workers",
        "cluster",
        "cluster-ca",
        "cluster-cert",
        "cluster-key",
    ),
    "what to write": (
        "json",
        "html",
        "junit",
        "sarif",
        "markdown",
        "badge",
        "full",
        "compact",
        "quiet",
    ),
}
_ORDER = ("which code", "how much", "how", "what to write")
_VERSIONS = "VERSION is worktree, a git revision, a folder (dir:PATH) or a release (pypi:NAME==NUMBER). "
_SETTINGS = "Settings in pyproject.toml ([tool.plait]) or plait.toml replace these defaults."
_LEFT, _NARROW, _WIDE = 22, 60, 100


def _default_text(option: Option, differs: str | None = None) -> str:
    """Return what holds if the option is not given, in parentheses; ``differs`` is a command's own default."""
    if differs is not None:
        return f" (default: {differs})"
    if "(default" in option.help:
        return ""
    if option.metavar is None:
        return " (default: no)"
    if option.metavar == "FILE":
        return " (default: not written)"
    return f" (default: {option.default or 'none'})"


def command_help(name: str, command: Command, options: Mapping[str, Option], differs: Mapping[str, str]) -> str:
    """Return the whole text; ``differs`` are the defaults that only this command has."""
    width = max(_NARROW, min(_WIDE, shutil.get_terminal_size().columns))
    head = (
        "" if command.argument is None else f" {command.argument[0]}" if command.needed else f" [{command.argument[0]}]"
    )
    lines = [f"usage: plait {name}{head}{' [--option ...]' if command.options else ''}", ""]
    lines += textwrap.wrap(f"{command.help[0].upper()}{command.help[1:]}.", width)
    if command.argument is not None:
        lines += ["", *_entry(command.argument[0], command.argument[1], width)]
    for title, keys in options_by_topic(command.options).items():
        lines += ["", title]
        for key in keys:
            option = options[key]
            value = "" if option.metavar is None else f" {option.metavar}"
            lines += _entry(f"--{key}{value}", option_text(option, differs.get(key)), width)
    if command.options:
        versions = _VERSIONS if any(options[key].metavar == "VERSION" for key in command.options) else ""
        lines += ["", *textwrap.wrap(f"{versions}{_SETTINGS}", width)]
    return "\n".join(lines) + "\n"


def options_by_topic(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return options by topic, in the order of the explanation."""
    own = list(keys)
    listed = {key for group in _GROUPS.values() for key in group}
    groups = {**_GROUPS, "how": tuple(key for key in own if key not in listed)}
    found = {title: [key for key in groups[title] if key in own] for title in _ORDER}
    return {title: group for title, group in found.items() if group}


def option_text(option: Option, own: str | None = None) -> str:
    """Return the explanation of an option, with its choices and its default; ``own`` is that of one command."""
    choices = "" if option.choices is None else f": {', '.join(option.choices)}"
    said = option.help.partition(" (default")[0] if own is not None or choices else option.help
    return (
        f"{said}{choices}{_default_text(option, own or (str(option.default) if choices and option.default else None))}"
    )


def _entry(head: str, said: str, width: int) -> list[str]:
    first = f"  {head:{_LEFT}} "
    if len(first) > _LEFT + 3:
        return [first.rstrip(), *_entry("", said, width)]
    return textwrap.wrap(said, width, initial_indent=first, subsequent_indent=" " * (_LEFT + 3), break_long_words=False)
