"""What an audit says that methods promise, beside labels that were written by hand from the sources.

``labels.json`` has a label per method; ``"*"`` stands for all others of the class. The words are those of the official
guide. A method is externally synchronised if there is another one, or a second call of itself, beside which it does not
act as one step. Methods that no test has made return, and those of what others hand out, are counted apart: nothing is
said of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept, names
from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.errors import UsageError
from plait.judge.audit import UNKNOWN, Audited, judge_class
from plait.store.keys import source_of
from plait.subject.name import Subject
from plait.subject.package.facts import ClassFacts, module_facts, whole_class
from plait.subject.versions.version import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HERE = Path(__file__).parent
PORTS = HERE.parent
GOAL = 0.95
_SAFE = frozenset({"immutable", "atomic", "internally synchronised"})


def run(
    *, seconds: float = 10.0, max_tests: int = 150, seed: int = 0, subject: str | None = None,
    resume: Path | None = None, progress: Callable[[str], None] = lambda _line: None,
) -> dict[str, Any]:  # fmt: skip
    """Check each class as an audit does; a row per class."""
    limits = {"seconds": seconds, "max_tests": max_tests, "seed": seed}
    kept = Kept(resume, limits)
    wanted = names(subject)
    rows = []
    for entry in labelled():
        if not wanted or entry["subject"] in wanted:
            said = kept.get(entry["subject"], lambda entry=entry: _said(entry, limits))
            rows.append({"subject": entry["subject"], **compared(said, entry["labels"])})
            progress(line_of(rows[-1]))
    return {"rows": rows, "summary": {**limits, **summary(rows)}}


def labelled() -> list[dict[str, Any]]:
    """Return the classes with their labels."""
    found: list[dict[str, Any]] = json.loads((HERE / "labels.json").read_text(encoding="utf-8"))
    return found


def _said(entry: dict[str, Any], limits: dict[str, Any]) -> dict[str, Any]:
    """Return what an audit of one class says of its methods."""
    own = entry["where"] != "standard library"
    folder = PORTS / entry["where"] if own else HERE
    at = f"dir:{folder}" if own else "worktree"
    module, _, name = entry["subject"].partition(":")
    target = Subject(module, name)
    asked = CheckOptions(
        target, at, project=folder, seed=limits["seed"], budget=limits["seconds"], max_tests=limits["max_tests"]
    )
    audited = Audited(entry["subject"], "class", "", 0)
    try:
        result = check(asked)
        judge_class(audited, result, _facts(target, at, folder))
    except UsageError as error:
        return {"verdict": "not judged", "methods": {}, "reason": str(error)}
    return {"verdict": audited.verdict, "methods": audited.methods, "reason": audited.reason}


def _facts(subject: Subject, at: str, folder: Path) -> ClassFacts | None:
    with resolve(at, project=folder, cache=folder / ".plait") as version:
        module = source_of(subject, version).module(subject.module)
        known = {} if module is None else {subject.module: module_facts(module)}
        return whole_class(known, subject.module, subject.qualname)


def compared(said: dict[str, Any], labels: dict[str, str]) -> dict[str, Any]:
    """Return how many methods have their label: the word itself, and whether the method is safe beside all others."""
    told = {name: word for name, word in said["methods"].items() if word != UNKNOWN and "()." not in name}
    wrong = {name: (word, _label(labels, name)) for name, word in told.items() if word != _label(labels, name)}
    unsafe = {name: pair for name, pair in wrong.items() if (pair[0] in _SAFE) != (pair[1] in _SAFE)}
    return {
        "verdict": said["verdict"], "reason": said["reason"], "methods": len(said["methods"]), "told": len(told),
        "same_word": len(told) - len(wrong), "same_safety": len(told) - len(unsafe),
        "wrong": {name: list(pair) for name, pair in wrong.items()},
    }  # fmt: skip


def _label(labels: dict[str, str], name: str) -> str:
    return labels.get(name) or labels.get(name.partition(".")[0]) or labels["*"]


def summary(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the totals."""
    made = list(rows)
    told = sum(row["told"] for row in made)
    return {
        "classes": len(made), "judged": sum(row["told"] > 0 for row in made),
        "methods": sum(row["methods"] for row in made), "told": told, "goal": GOAL,
        "same_word": sum(row["same_word"] for row in made), "same_safety": sum(row["same_safety"] for row in made),
    }  # fmt: skip


def line_of(row: dict[str, Any]) -> str:
    """Return one class as a line."""
    if not row["told"]:
        return f"{row['subject']:<48} not judged: {row['reason'][:90]}"
    wrong = "; ".join(f"{name}: {said}, label {label}" for name, (said, label) in list(row["wrong"].items())[:3])
    more = f"; and {len(row['wrong']) - 3} more" if len(row["wrong"]) > 3 else ""
    return f"{row['subject']:<48} {row['same_word']:>3} of {row['told']:>3} as labelled  {wrong}{more}"


def show(result: dict[str, Any]) -> str:
    """Return the table as text."""
    totals = result["summary"]
    told = max(1, totals["told"])
    return "\n".join([
        *map(line_of, result["rows"]), "",
        f"{totals['classes']} classes, {totals['judged']} judged; {totals['told']} of {totals['methods']} methods told",
        f"the very word: {totals['same_word']} ({totals['same_word'] / told:.1%}; goal {totals['goal']:.0%})",
        f"safe or not: {totals['same_safety']} ({totals['same_safety'] / told:.1%})",
    ])  # fmt: skip
