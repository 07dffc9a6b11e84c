"""How much of real packages a check really drives, with nothing given but the name of the class.

``packages.json`` lists 50 popular packages in pure Python that hold locks or claim to be safe for threads; none of
them is in the corpus of defects. Of each, the public classes are taken that can be made at all, those that use locks
first. A class counts as driven if every method of it has returned normally at least once and four of five pairs of
its methods were under way together. Methods that can only raise are named, and do not count. Every other row says in
one line why it is not.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept
from plait.commands.check.command import check
from plait.commands.check.evidence import counts
from plait.commands.check.options import CheckOptions
from plait.commands.releases import cache_root
from plait.errors import UsageError
from plait.subject.interface.concurrent import is_lock_name
from plait.subject.name import Subject
from plait.subject.package.facts import ModuleFacts, module_facts
from plait.subject.package.listing import Listing, PublicClass, list_package
from plait.subject.versions.version import resolve
from plait.workers.pool import WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plait.model.result import Result

HERE = Path(__file__).parent
SAMPLE = 12
"""Packages at the head of the list that the default set has."""
HALVES = ("development", "final")
"""Of 32 packages more (``unseen.json``): what is mended is looked for in one half, the other is only measured."""
CAP = 4
"""Classes of one package: a large one would outweigh all others."""
PAIRS = 0.8
_NOTHING_TO_DRIVE = (
    "is abstract", "is a Protocol", "has no public methods", "asynchronous", "is an enumeration", "cannot be imported",
    "ImportError", "ModuleNotFoundError", "signature (NotImplementedError", " has no '", " is needed to use ",
)  # fmt: skip
"""What a class says that cannot be made by anybody, or not without packages that are optional."""


@dataclass(frozen=True, slots=True)
class Package:
    """A release, and the module that is imported of it."""

    name: str
    module: str
    number: str

    @property
    def version(self) -> str:
        """What ``--at`` is given."""
        return f"pypi:{self.name}=={self.number}"


def packages(which: str = "sample") -> list[Package]:
    """Return the packages of a set: ``sample``, ``held-out``, ``all``; of 32 others ``development`` or ``final``."""
    every = [package for package, _half in _listed("packages.json")]
    unseen = _listed("unseen.json")
    sets = {"sample": every[:SAMPLE], "held-out": every[SAMPLE:], "all": every}
    sets |= {name: [package for package, half in unseen if half == name] for name in HALVES}
    if which not in sets:
        raise UsageError(f"--set {which}: there is no such set of packages; choose {', '.join(sets)}")
    return sets[which]


def _listed(file: str) -> list[tuple[Package, str]]:
    rows = json.loads((HERE / file).read_text(encoding="utf-8"))
    return [(Package(row["name"], row["import"], row["number"]), row.get("half", "")) for row in rows]


def run(
    *, which: str = "sample", seconds: float = 20.0, max_tests: int = 150, seed: int = 0, sample: int = CAP,
    subject: str | None = None, resume: Path | None = None, progress: Callable[[str], None] = print,
) -> dict[str, Any]:  # fmt: skip
    """Check the classes of each package with so many tests, or for so many ``seconds`` if these are over first.

    At most ``sample`` classes of one package are taken.

    ``subject`` names one package or one class; a ``resume`` file keeps what was measured.
    """
    kept = Kept(resume, {"seconds": seconds, "max_tests": max_tests, "seed": seed})
    rows: list[dict[str, Any]] = []
    missing: dict[str, str] = {}
    for package in _asked_for(subject) if subject else packages(which):
        try:
            chosen = classes_of(package)
        except UsageError as error:
            missing[package.name] = str(error)
            progress(f"{package.name}: {error}")
            continue
        taken = 0
        for public in chosen:
            if taken == sample or (subject and ":" in subject and subject != public.name):
                continue
            found = kept.get(public.name, partial(drive, public, package, seconds, max_tests, seed))
            row = {"package": package.name, "subject": public.name, **found}
            taken += row["constructible"]
            rows.append(row)
            progress(line_of(row))
    return {"rows": rows, "summary": {**summary(rows, missing), "missing": missing}}


def _asked_for(subject: str) -> list[Package]:
    """Return the package that a package's or class's name stands for, of all sets."""
    every = [package for which in ("all", *HALVES) for package in packages(which)]
    name = subject.partition(":")[0].partition(".")[0]
    return [package for package in every if name in (package.module, package.name)]


def classes_of(package: Package) -> list[PublicClass]:
    """Return the public classes of a release that are more than data, those with locks first."""
    with resolve(package.version, project=Path.cwd(), cache=cache_root()) as version:
        listing = list_package(package.module, version)
        facts = {module.name: module_facts(module) for module in listing.modules}
    usable = [each for each in listing.classes if not each.silent and "." not in each.qualname]
    ranked = sorted(usable, key=lambda each: not _locks(each, facts, listing))
    return list({each.name: each for each in ranked}.values())


def _locks(public: PublicClass, facts: dict[str, ModuleFacts], listing: Listing) -> bool:
    """Return whether a class, or one of its bases in the package, makes or takes a lock."""
    everywhere = {name: known for each in facts.values() for name, known in each.classes.items()}
    pending, seen = [public.qualname], set()
    own = facts[public.module].classes
    while pending:
        name = pending.pop()
        known = own.get(name) or everywhere.get(name)
        if known is None or name in seen:
            continue
        seen.add(name)
        held = {lock for function in known.functions.values() for use in function.uses for lock in use.locks}
        if known.locks or any(map(is_lock_name, held)):
            return True
        pending += [base.rpartition(".")[2] for base in known.bases]
    return False


def drive(public: PublicClass, package: Package, seconds: float, max_tests: int, seed: int) -> dict[str, Any]:
    """Return what a check of one class called, and why it is not driven."""
    started = time.monotonic()
    asked = CheckOptions(
        Subject(public.module, public.qualname), package.version, seed=seed, budget=seconds, max_tests=max_tests
    )
    try:
        result = check(asked)
    except (UsageError, WorkerError) as error:
        reason = " ".join(str(error).split())
        row = {"constructible": not any(each in reason for each in _NOTHING_TO_DRIVE), "verdict": "not built"}
        return {**row, **_nothing(), "reason": reason, "seconds": round(time.monotonic() - started, 1)}
    return {"constructible": True, **_row(result), "seconds": round(time.monotonic() - started, 1)}


def _nothing() -> dict[str, Any]:
    return {
        "methods": 0,
        "called": 0,
        "returned": 0,
        "pairs": 0,
        "overlapping": 0,
        "driven": False,
        "built": "",
        "broken": [],
    }


def _row(result: Result) -> dict[str, Any]:
    methods: dict[str, dict[str, Any]] = result.stats.get("methods", {})
    own = {name: row for name, row in methods.items() if "()." not in name}  # not those of what it hands out
    broken = [name for name, row in own.items() if is_broken(name, row, result.subject)]
    present = {name: row for name, row in own.items() if not _is_open(row) and name not in broken}
    silent = [name for name, row in present.items() if not row["returned"]]
    pairs = [row for row in result.more["pairs"] if all(name in present for name in row["methods"])]
    met = sum(row["covered"] > 0 for row in pairs)
    reason = ""
    if silent:
        shown = [f"{name} ({methods[name].get('error', '') or 'never called'})" for name in silent]
        reason = f"{len(silent)} of {len(present)} methods never returned: {'; '.join(shown)}"
    elif not pairs or met < PAIRS * len(pairs):
        reason = f"{met} of {len(pairs)} pairs of methods were under way together"
    return {
        "verdict": result.verdict, "methods": len(present),
        "called": sum(row["called"] > 0 for row in present.values()),
        "returned": len(present) - len(silent), "pairs": len(pairs), "overlapping": met, "driven": not reason,
        "built": result.more.get("built", ""), "reason": reason[:300], "tests": result.stats["tests"],
        "broken": broken,
    }  # fmt: skip


def _is_open(row: dict[str, Any]) -> bool:
    """Return whether a method says that it is for subclasses to write, or uses what only they have."""
    return not counts("method", {**row, "called": row["called"] or 1, "error": row.get("error", "")}, {})


_MISCALLED = re.compile(
    r"TypeError: (?:\w+\.)*(\w+)\.(\w+)\(\) (?:missing \d+ required|got an unexpected keyword argument '(?!a'))"
)


def is_broken(name: str, row: dict[str, Any], subject: str) -> bool:
    """Return whether a method can only raise, because its own code calls another method of the class wrongly.

    Such are an inherited ``copy`` that makes an instance without the arguments of the class's constructor, and an
    inherited ``get_nowait`` whose ``get`` takes other arguments now. What a caller gives makes no difference.
    """
    found = _MISCALLED.match(row.get("error", "")) if not row["returned"] else None
    return found is not None and found[1] == subject.rpartition(":")[2].rpartition(".")[2] and found[2] != name


def line_of(row: dict[str, Any]) -> str:
    """Return one class as a line of the table."""
    if not row["constructible"]:
        return f"{row['subject']}: left out: {row['reason']}"
    counted = f"{row['returned']}/{row['methods']} methods, {row['overlapping']}/{row['pairs']} pairs"
    apart = f" (without what can only raise: {', '.join(row['broken'])})" if row.get("broken") else ""
    return f"{row['subject']}: {counted}, {'driven' if row['driven'] else row['reason']}{apart}"


def summary(rows: Iterable[dict[str, Any]], missing: dict[str, str]) -> dict[str, Any]:
    """Return the totals."""
    made = [row for row in rows if row["constructible"]]
    methods, pairs = sum(row["methods"] for row in made), sum(row["pairs"] for row in made)
    every = sum(row["methods"] > 0 and row["returned"] == row["methods"] for row in made)
    met = sum(row["pairs"] > 0 and row["overlapping"] >= PAIRS * row["pairs"] for row in made)
    return {
        "packages": len({row["package"] for row in made}), "packages not to be had": len(missing),
        "classes": len(made), "driven": sum(row["driven"] for row in made),
        "every method returned": every, "four of five pairs met": met,
        "not built": sum(row["verdict"] == "not built" for row in made),
        "methods": methods, "methods that returned": sum(row["returned"] for row in made),
        "pairs": pairs, "pairs that met": sum(row["overlapping"] for row in made),
    }  # fmt: skip


def show(result: dict[str, Any]) -> str:
    """Return the table as text."""
    lines = [line_of(row) for row in result["rows"]]
    totals = dict(result["summary"])
    lines += [f"{name}: not to be had: {reason}" for name, reason in totals.pop("missing").items()]
    share = totals["driven"] / totals["classes"] if totals["classes"] else 0.0
    lines += [f"{name:<28} {number:>6}" for name, number in totals.items()]
    return "\n".join([*lines, f"{'drive rate':<28} {share:>6.0%}"])
