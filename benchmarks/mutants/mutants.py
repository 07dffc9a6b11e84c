"""All mutants: which bug, where, in which class; and what is known about whether callers can tell them apart."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.mutants.catalogue import HERE, ROOT, Subject, subjects
from benchmarks.mutants.exhaust import method_of, reaching
from benchmarks.mutants.operators import OPERATORS, WAITS, Source

JUDGED = HERE / "judged.json"
SECONDS = 40.0  # of processor time for the small tests of one version
MOST_CALLS = 9  # in the small tests of one mutant
KINDS = ("sequential", "unsound", "concurrent")  # differences that small tests show
PORTS = ("covcon", "condiff")
PER_PORT = 2  # places of one operator in a class that was not written for this table


@dataclass(frozen=True, slots=True)
class Mutant:
    """One bug in one class."""

    subject: Subject
    operator: str
    method: str
    line: int
    text: str

    @property
    def name(self) -> str:
        """Where it is."""
        return f"{self.subject.name} {self.operator} {self.method}:{self.line}"

    @property
    def digest(self) -> str:
        """Changes with the code or with the calls of small tests."""
        return hashlib.sha256(repr((self.text, self.subject.pool)).encode()).hexdigest()[:16]


@cache
def _read(subject: Subject) -> Source:
    return Source(subject.source)


@cache
def _edits(subject: Subject, operator: str) -> list[Mutant]:
    """The mutants of one class by one operator."""
    source = _read(subject)
    edits = [edit for edit in OPERATORS[operator][1](source) if _within(source, subject, edit.first)]
    if subject.group in PORTS:
        edits = edits[:: max(1, len(edits) // PER_PORT)][:PER_PORT]
    return [Mutant(subject, operator, each.method, each.first, source.applied(each)) for each in edits]


def planted(operators: Sequence[str] = (), classes: Sequence[str] = (), sample: int | None = None) -> list[Mutant]:
    """All mutants, or those of some operators and classes; with ``sample``, at most so many per operator.

    A sample takes one of each class in turn, from the classes in their order.
    """
    found: list[Mutant] = []
    wanted = [each for each in subjects() if not classes or {each.name, each.module} & set(classes)]
    for operator in OPERATORS:
        if not operators or operator in operators:
            found += _in_turn(list(filter(None, (_edits(each, operator) for each in wanted))), sample)
    return found


def _in_turn(by_class: list[list[Mutant]], most: int | None) -> list[Mutant]:
    if most is None:
        return [each for here in by_class for each in here]
    longest = max(map(len, by_class), default=0)
    turns = [here[number] for number in range(longest) for here in by_class if number < len(here)]
    step = max(1.0, len(by_class) / most) if len(by_class) > most else 1.0
    return [turns[int(number * step)] for number in range(min(most, len(turns)))]


def _within(source: Source, subject: Subject, line: int) -> bool:
    """Whether a place belongs to the class under test, or to a base class of it: no others are called."""
    classes = {node.name: node for node in source.tree.body if isinstance(node, ast.ClassDef)}
    wanted = [subject.cls]
    for name in wanted:
        wanted += [base.id for base in classes[name].bases if isinstance(base, ast.Name) and base.id in classes]
    return any(classes[name].lineno <= line <= (classes[name].end_lineno or 0) for name in wanted)


# -- what callers can tell ------------------------------------------------------------------------------------------


def known() -> dict[str, dict[str, Any]]:
    """What `judged.json` says, by the mutants' names."""
    found: dict[str, dict[str, Any]] = json.loads(JUDGED.read_text(encoding="utf-8")) if JUDGED.is_file() else {}
    return found


def settled(mutant: Mutant, entries: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """What was written down about a mutant, unless it or its class has changed since."""
    entry = entries.get(mutant.name)
    return entry if entry is not None and entry["digest"] == mutant.digest else None


def nobody_can_tell(entry: dict[str, Any]) -> bool:
    """Whether all small tests, or a reason, say that no caller can tell a mutant from its original."""
    return bool(entry.get("reason") or entry["complete"]) and not any(entry.get(kind) for kind in KINDS)


def judged(mutant: Mutant, entries: dict[str, dict[str, Any]], seconds: float = SECONDS) -> dict[str, Any]:
    """What small tests, or a reason written down, say of a mutant; asked for if ``entries`` do not know it."""
    entry = settled(mutant, entries)
    if entry is not None:
        return entry
    makes, calls, reached = pool_of(mutant)
    common = {
        "makes": makes, "calls": calls, "probes": _probes(mutant.subject.source, calls),
        "imports": [str(mutant.subject.file.parent)],
        "seconds": seconds if len(mutant.subject.pool[1]) <= MOST_CALLS else seconds / 3,
    }  # fmt: skip
    # Where the pool is small, all mutants of a class share what the original shows.
    shared = None if calls == mutant.subject.pool[1] else reached
    base = _base(mutant.subject, json.dumps({**common, "reached": shared}))
    answer = _ask({**common, "source": mutant.text, "known": base, "reached": reached})
    found = {"digest": mutant.digest, "tests": answer["tests"], "complete": answer["complete"]}
    for kind in KINDS:
        if kind in answer:
            found[kind] = answer[kind]["test"]
    return found


def pool_of(mutant: Mutant) -> tuple[tuple[str, ...], tuple[str, ...], list[str] | None]:
    """Constructors and calls for small tests, and the methods of which each test has one (None: any).

    Of a class with many methods those that reach the bug are taken, and those that share most attributes with them.
    """
    source = mutant.subject.source
    makes, calls = mutant.subject.pool
    reached = reaching(source, mutant.method)
    if len(calls) > MOST_CALLS:
        tree = _read(mutant.subject).tree
        functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        own = _attributes(functions.get(mutant.method))
        likeness = {call: len(own & _attributes(functions.get(method_of(call)))) for call in calls}
        mine = [call for call in calls if reached is not None and method_of(call) in reached][: MOST_CALLS // 2]
        others = sorted((call for call in calls if call not in mine), key=lambda call: -likeness[call])
        calls = (*mine, *others[: MOST_CALLS - len(mine)])
    return makes, calls, None if reached is None else sorted(reached)


def _attributes(function: ast.FunctionDef | None) -> set[str]:
    nodes = ast.walk(function) if function is not None else ()
    return {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _probes(source: str, calls: Sequence[str]) -> list[str]:
    """The calls that never wait: what they answer afterwards stands for the state."""
    waiting: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(inner, ast.Attribute) and inner.attr in WAITS for inner in ast.walk(node)
        ):
            waiting |= reaching(source, node.name) or set()
    return [call for call in calls if method_of(call) not in waiting]


@cache
def _base(subject: Subject, common: str) -> dict[str, Any]:
    found: dict[str, Any] = _ask({**json.loads(common), "source": subject.source})["tests"]
    return found


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.mutants.exhaust"], input=json.dumps(request), cwd=ROOT, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"small tests cannot be run: {(done.stderr.strip().splitlines() or ['no output'])[-1]}")
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def renew(mutants: Iterable[Mutant]) -> None:
    """Ask for all that `judged.json` does not know, and write it down as it comes."""
    entries = known()
    for mutant in mutants:
        if settled(mutant, entries) is None:
            entries[mutant.name] = judged(mutant, entries)
            print(mutant.name, entries[mutant.name], flush=True)
            _write(entries)


def remember(kept: Path) -> None:
    """Write down what the small tests of a table have shown; ``kept`` is the file of `plait bench mutants --resume`."""
    entries = known()
    for text in kept.read_text(encoding="utf-8").splitlines():
        entry = json.loads(text)
        row = entry["result"]
        if row.get("small_tests"):
            said = {kind: row[kind] for kind in KINDS if row[kind]}
            entries[entry["name"]] = {
                "digest": row["digest"], "tests": row["small_tests"], "complete": row["all_small_tests"], **said,
            }  # fmt: skip
    _write(entries)


def _write(entries: dict[str, dict[str, Any]]) -> None:
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entries[name])}" for name in sorted(entries))
    JUDGED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--kept"]:
        remember(Path(sys.argv[2]))
    else:
        renew(planted(classes=sys.argv[1:]))
