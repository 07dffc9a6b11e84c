"""How much faster a command is that finds in the store what it did before: `plait diff` and `plait check` themselves.

Times are those of whole commands, by the clock, with the start of the interpreter and of workers.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import plait
from benchmarks.condiff.scenarios import Subject, make_scenario, public_methods

TESTS = {"check": 3000, "diff": 300_000}
"""Of the campaigns that are repeated after a change, some ten seconds long: in short ones, processes mostly start."""


def repeated(chosen: Subject, folder: Path) -> dict[str, Any]:
    """`plait diff` on a scenario of ConDiff's, twice."""
    make_scenario(chosen.number, "B", folder)
    words = ("diff", f"{chosen.module}:{chosen.class_name}", "--old", "old", "--new", "new")
    first_s, first = _plait(folder, *words)
    second_s, second = min((_plait(folder, *words) for _ in range(3)), key=lambda each: each[0])
    assert (second["verdict"], second["findings"]) == (first["verdict"], first["findings"])
    assert "nothing has changed" in second["notes"][0]
    return {
        "first_run_s": round(first_s, 2), "second_run_s": round(second_s, 2), "second_run": round(first_s / second_s, 1)
    }  # fmt: skip


def changed(chosen: Subject, folder: Path, command: str) -> dict[str, Any]:
    """A campaign on sound code whose methods have all been touched, and again after one of them was once more."""
    old, new = (folder / version / f"{chosen.module}.py" for version in ("old", "new"))
    for file in (old, new):
        file.parent.mkdir(parents=True)
    source = chosen.source("old")
    old.write_text(source, encoding="utf-8")
    names = sorted(public_methods(source, chosen.class_name))
    touched = _touched(source, chosen.class_name, names, 0)
    new.write_text(touched, encoding="utf-8")
    words = [command, f"{chosen.module}:{chosen.class_name}", "--max-tests", str(TESTS[command])]
    words += ["--old", "old", "--new", "new"] if command == "diff" else ["--at", "new"]
    first_s, first = _plait(folder, *words)
    name = random.Random(0).choice(names)
    new.write_text(_touched(touched, chosen.class_name, [name], 1), encoding="utf-8")
    second_s, second = _plait(folder, *words)
    assert (second["verdict"], _found(second)) == (first["verdict"], _found(first))
    return {
        "changed_method": name, "methods": len(names), f"{command}_tests": first["stats"].get("tests", TESTS[command]),
        f"{command}_first_s": round(first_s, 2), f"{command}_changed_s": round(second_s, 2),
        f"{command}_tests_known": second["stats"]["tests_known"],
        f"{command}_after_change": round(first_s / second_s, 1),
    }  # fmt: skip


def _found(result: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """What the findings are about; their lines may have moved."""
    return sorted((finding["kind"], finding["methods"]) for finding in result["findings"])


def _touched(source: str, class_name: str, names: Sequence[str], number: int) -> str:
    """The module after these methods got one more variable that nobody uses."""
    lines = source.splitlines()
    methods = public_methods(source, class_name)
    for node in sorted((methods[name] for name in names), key=lambda each: -each.lineno):
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        lines.insert(body[0].lineno - 1, f"{' ' * body[0].col_offset}unused_{number} = 0")
    return "\n".join(lines) + "\n"


@functools.cache
def _compiled() -> dict[str, str]:
    """The environment of a command whose modules are compiled already, as those of an installation are."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    package = Path(plait.__file__).parent
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(package)], env=environment, check=True)
    return environment


def _plait(folder: Path, *words: str) -> tuple[float, dict[str, Any]]:
    """How long a command took, and its result."""
    result = folder / "result.json"
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "plait", *words, "--json", result.name, "--quiet"], cwd=folder, capture_output=True,
        text=True, check=False, env=_compiled(),
    )  # fmt: skip
    elapsed = time.perf_counter() - started
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return elapsed, json.loads(result.read_text(encoding="utf-8"))
