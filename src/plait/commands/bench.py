"""The evaluation tables: finds them in the repository and runs one.

A table is a folder ``benchmarks/NAME`` with a module ``bench``: ``run(...)`` measures and returns ``rows`` and
``summary``, ``show(result)`` formats them as text. Tables are not part of the installed package, so a clone is needed.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import json
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.errors import UsageError

if TYPE_CHECKING:
    import argparse


def repository() -> Path | None:
    """Return the clone that contains the current folder, or this module; None if there is none."""
    for start in (Path.cwd() / "here", Path(__file__)):
        for folder in start.resolve().parents:
            if (folder / "benchmarks" / "engine" / "bench.py").is_file() and (folder / "src" / "plait").is_dir():
                return folder
    return None


def tables() -> list[str]:
    """Return the tables that can be run."""
    root = repository()
    return [] if root is None else sorted(file.parent.name for file in (root / "benchmarks").glob("*/bench.py"))


def run_bench(options: argparse.Namespace) -> int:
    """Run `plait bench`: measure, print the table, write the result file. Without a name, run all tables in turn."""
    if options.argument is None:
        if options.json is not None:
            raise UsageError(f"--json: a result file holds one table; say which: {', '.join(tables())}")
        for name in tables():
            print(f"{name}\n{_measured(name, options)[1]}\n")
        return 0
    content, text = _measured(options.argument, options)
    written = json.dumps(content, indent=1)
    if options.json == Path("-"):
        print(written)
        return 0
    print(text)
    if options.json is not None:
        options.json.write_text(f"{written}\n", encoding="utf-8")
    return 0


def _measured(name: str, options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    asked = {option: getattr(options, option) for option in _SETTINGS}
    if options.argument is not None:
        known = _parameters(name)
        for option, value in asked.items():
            if value is not None and _SETTINGS[option] not in known:
                raise UsageError(f"--{option.replace('_', '-')}: the table {name} does not know this option")
    settings = {_SETTINGS[option]: value for option, value in asked.items()}
    return measure_table(name, {**settings, "seed": options.seed, "progress": _progress})


_SAME = ("runs", "operator", "subject", "ask", "sample", "max_tests", "max_schedules", "resume", "beside")
_SETTINGS = {"limit": "seconds", "set": "which", **{name: name for name in _SAME}}
"""Options by the names of the parameters that tables have for them; each table has some."""


def _progress(line: str) -> None:
    print(line, file=sys.stderr)


def _parameters(name: str) -> frozenset[str]:
    """Return the names of a table's parameters."""
    return frozenset(inspect.signature(_table(name).run).parameters)


def _table(name: str) -> Any:
    root = repository()
    if root is None:
        raise UsageError("plait bench needs a clone of plait's repository: run it inside one")
    if name not in tables():
        near = difflib.get_close_matches(name, tables(), 1)
        advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(tables())}"
        raise UsageError(f"there is no table {name!r}; {advice}")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return importlib.import_module(f"benchmarks.{name}.bench")


def measure_table(name: str, settings: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Run one table with those settings that it has; return the content of the result file, and the text."""
    module, known = _table(name), _parameters(name)
    result = module.run(**{key: value for key, value in settings.items() if key in known and value is not None})
    content = {"schema": 1, "bench": name, "python": platform.python_version(), **result}
    return content, module.show(content)
