"""How much faster a command is that finds in the store what it did before: `plait diff` and `plait check` themselves.

Times are those of whole commands, with the start of the interpreter and of workers: ``_s`` by the clock, ``_cpu_s`` the
processor's, which other load on the machine hardly changes. Ratios are medians, each of commands that ran one behind
the other.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import plait
from benchmarks.condiff.scenarios import Subject, make_scenario, public_methods

TESTS = {"check": 3000, "diff": 300_000}
"""Of the campaigns that are repeated after a change, some ten seconds long: in short ones, processes mostly start."""


class _Ran(NamedTuple):
    """A command: how long it took by the clock, how much of the processor's time, and its result."""

    wall_s: float
    cpu_s: float
    result: dict[str, Any]


def repeated(chosen: Subject, folder: Path, runs: int = 1) -> dict[str, Any]:
    """`plait diff` on a scenario of ConDiff's, twice."""
    words = ("diff", f"{chosen.module}:{chosen.class_name}", "--old", "old", "--new", "new")
    both = []
    for number in range(runs):
        place = folder / str(number)
        make_scenario(chosen.number, "B", place)
        first, second = _plait(place, *words), _plait(place, *words)
        assert all(second.result[key] == first.result[key] for key in ("verdict", "findings"))
        assert "nothing has changed" in second.result["notes"][0]
        both.append((first, second))
    return _ratios("second_run", both)


def changed(chosen: Subject, folder: Path, command: str, runs: int = 1) -> dict[str, Any]:
    """A campaign on sound code whose methods have all been touched; once more as it is, and after one was again."""
    source = chosen.source("old")
    names = sorted(public_methods(source, chosen.class_name))
    name = random.Random(0).choice(names)
    touched = _touched(source, chosen.class_name, names, 0)
    words = [command, f"{chosen.module}:{chosen.class_name}", "--max-tests", str(TESTS[command])]
    words += ["--old", "old", "--new", "new"] if command == "diff" else ["--at", "new"]
    again, after = [], []
    for number in range(runs):
        place = folder / str(number)
        old, new = (place / version / f"{chosen.module}.py" for version in ("old", "new"))
        for file, text in ((old, source), (new, touched)):
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
        first, second = _plait(place, *words), _plait(place, *words)
        new.write_text(_touched(touched, chosen.class_name, [name], 1), encoding="utf-8")
        third = _plait(place, *words)
        for other in (second, third):
            assert (other.result["verdict"], _found(other.result)) == (first.result["verdict"], _found(first.result))
        again.append((first, second))
        after.append((first, third))
    stats = after[0][0].result["stats"]
    return {
        "changed_method": name, "methods": len(names), f"{command}_tests": stats.get("tests", TESTS[command]),
        f"{command}_tests_known": after[0][1].result["stats"]["tests_known"],
        **_ratios(f"{command}_again", again), **_ratios(f"{command}_after_change", after),
    }  # fmt: skip


def _ratios(name: str, both: Sequence[tuple[_Ran, _Ran]]) -> dict[str, Any]:
    """How many times less the second command of each two took, by the clock and by the processor's time."""
    return {
        name: round(median(first.wall_s / second.wall_s for first, second in both), 1),
        f"{name}_by_cpu": round(median(first.cpu_s / second.cpu_s for first, second in both), 1),
        f"{name}_cpu_s": [round(median(each[at].cpu_s for each in both), 2) for at in (0, 1)],
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


def _plait(folder: Path, *words: str) -> _Ran:
    """Run a command to its end."""
    result = folder / "result.json"
    before, started = _children_s(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "plait", *words, "--json", result.name, "--quiet"], cwd=folder, capture_output=True,
        text=True, check=False, env=_compiled(),
    )  # fmt: skip
    elapsed, spent = time.perf_counter() - started, _children_s() - before
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return _Ran(elapsed, spent, json.loads(result.read_text(encoding="utf-8")))


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
