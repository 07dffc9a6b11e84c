"""How many findings `plait fix` can mend, and whether what it offers holds.

Subjects are CovCon's faulty ports, a sample of the mutants, and releases of the corpus that have a known defect (one
class of each package), each with the findings that `plait check` has for it.
A mend that is offered gets one more check, with a seed and tests that its proof has not seen: its cause must not show,
nor anything else that the original does not show in the same test. The measurement of costs is left out here, because
figures of a busy machine say nothing; ``--limit`` bounds the time for one finding.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.corpus.cases import Case, cases
from benchmarks.covcon.table import ROWS
from benchmarks.mutants.mutants import planted
from plait.commands.check.command import check
from plait.commands.check.options import CheckOptions
from plait.commands.fix.command import FixOptions, fix, fix_order, stated_rules
from plait.commands.fix.copies import copied
from plait.commands.fix.proof import MendSetting, MendTrial, ProofLimits, Prover
from plait.commands.releases import opened
from plait.errors import UsageError
from plait.model.reading import read_result
from plait.subject.mend.candidates import Edit, Mend
from plait.subject.name import Subject as Name
from plait.subject.versions.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 120.0  # for one finding
FOUND_WITH = 300  # tests of the check that finds something
PROVEN_WITH = 40  # tests of the checks that prove a mend
FRESH_WITH = 100  # and of the one that its proof knows nothing of
FRESH_S = 60.0  # whichever ends first
FRESH_SEED = 4711
CORPUS_S = 40.0  # of the check of a release
MOST = 1  # findings of one class
SAMPLE = 2  # mutants of one operator
GOAL = 0.6


def run(
    *, seconds: float = SECONDS, progress: Callable[[str], None] = lambda _line: None, seed: int = 0,
    subject: str | None = None, sample: int = SAMPLE, max_tests: int = PROVEN_WITH, operator: str | None = None,
    runs: int = MOST,
) -> dict[str, Any]:  # fmt: skip
    """Measure everything, or what ``subject`` names (``ports``, ``mutants``, ``corpus``, modules; with commas).

    ``runs`` is the number of findings of each class.
    """
    wanted = set(filter(None, (subject or "").split(",")))
    rows: list[dict[str, Any]] = []
    for row in ROWS:
        if operator is None and (not wanted or {row.module, "ports"} & wanted):
            text = row.faulty.read_text(encoding="utf-8")
            rows += _class("port", row.module, row.cls, text, seconds, seed, max_tests, runs, progress)
    for mutant in planted(tuple(filter(None, (operator or "").split(","))), (), sample):
        if not wanted or {mutant.subject.module, "mutants"} & wanted:
            where = mutant.subject
            rows += _class(mutant.operator, where.module, where.cls, mutant.text, seconds, seed, max_tests, 1, progress)
    for case in releases() if operator is None else ():
        if not wanted or {case.package, "corpus"} & wanted:
            rows += _release(case, seconds, seed, max_tests, runs, progress)
    return {"rows": rows, "summary": _summary(rows)}


def releases() -> list[Case]:
    """Return one class of each package, those with several defects once."""
    return list({case.package: case for case in reversed(cases("class", which="all"))}.values())[::-1]


def _release(
    case: Case, seconds: float, seed: int, max_tests: int, most: int, progress: Callable[[str], None]
) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="plait-fix-") as name:
        folder = Path(name) / "project"
        folder.mkdir()
        try:
            subject, label = Name.parse(case.subject, path=folder), case.release(case.buggy)
            asked = CheckOptions(subject, label, project=folder, seed=seed, max_tests=max_tests, budget=CORPUS_S)
            result = check(asked)
        except UsageError as error:
            progress(f"corpus {case.package}: {error}")
            return []
        file = Path(name) / "result.json"
        file.write_text(json.dumps(result.as_json()), encoding="utf-8")
        able = [number for number, each in enumerate(result.findings, 1) if each.test is not None]
        rows = []
        for number in able[:most]:
            made = _finding("corpus", subject, folder, file, number, seconds, seed, max_tests, label)
            rows.append({**made, "subject": case.package})
            progress(_line(rows[-1]))
    return rows


def _class(
    group: str, module: str, cls: str, text: str, seconds: float, seed: int, max_tests: int, most: int,
    progress: Callable[[str], None],
) -> list[dict[str, Any]]:  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="plait-fix-") as name:
        folder = Path(name) / "project"
        folder.mkdir()
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
        subject = Name(module, cls)
        result = check(CheckOptions(subject, project=folder, seed=seed, max_tests=FOUND_WITH, keep_going=most > 1))
        file = Path(name) / "result.json"
        file.write_text(json.dumps(result.as_json()), encoding="utf-8")
        able = [number for number, each in enumerate(result.findings, 1) if each.test is not None]
        rows = [_finding(group, subject, folder, file, number, seconds, seed, max_tests) for number in able[:most]]
    for row in rows:
        progress(_line(row))
    return rows


def _finding(
    group: str, subject: Name, folder: Path, file: Path, number: int, seconds: float, seed: int, max_tests: int,
    label: str = "worktree",
) -> dict[str, Any]:  # fmt: skip
    read = read_result(file)
    chosen = next(each for each in read.findings if each.number == number)
    limits = ProofLimits(None, max_tests, 0.0)
    asked = FixOptions(file, number, project=folder, seed=seed, budget=seconds, limits=limits)
    started = time.monotonic()
    row: dict[str, Any] = {
        "subject": subject.module, "group": group, "finding": number, "kind": chosen.kind, "summary": chosen.summary,
    }  # fmt: skip
    try:
        result = fix(asked, read, chosen)
    except UsageError as error:
        return {**row, "verdict": "unusable", "reason": str(error), "seconds": 0.0, "candidates": 0, "tried": 0}
    row |= {
        "verdict": result.verdict, "candidates": result.stats["candidates"], "tried": result.stats["tried"],
        "seconds": round(time.monotonic() - started, 1), "mend": result.more.get("mend"),
        "diff": result.more.get("diff"),
        "reasons": [f"{each['title']}: {each['reason']}" for each in result.more["candidates"] if each["reason"]],
    }  # fmt: skip
    if result.verdict == "mended":
        chosen_mend = next(each for each in result.more["candidates"] if each["verdict"] == "proven")
        row |= {"family": chosen_mend["family"], "size": chosen_mend["size"]}
        own = chosen_mend["evidence"].get("own_tests", {})
        row |= {"own_tests": own.get("passed", 0)}
        row |= _fresh(subject, folder, result.findings[0], result.more, read, chosen, seed, label)
    return row


def _fresh(
    subject: Name, folder: Path, finding: Any, more: dict[str, Any], read: Any, chosen: Any, seed: int, label: str
) -> dict[str, Any]:  # fmt: skip
    """Apply the diff as users do, and check the outcome with another seed and more tests."""
    with opened(label, project=folder, subject=subject, allow=()) as version, copied(version, 2) as (original, mended):
        mend = _mend_of(version, more)
        setting = MendSetting(
            subject,
            str(subject),
            fix_order(read, chosen, subject, ()),
            finding,
            original,
            mended,
            seed + FRESH_SEED,
            rules=stated_rules(read),
        )
        mended.apply(mend)
        trial = MendTrial(mend)
        held = Prover(setting, ProofLimits(FRESH_S, FRESH_WITH, 0.0))._check(trial)
    left = trial.evidence.get("checked", {}).get("as_before", ())
    return {"fresh": held, "fresh_says": trial.reason, "as_before": len(left)}


def _mend_of(version: Version, more: dict[str, Any]) -> Mend:
    parts = [f"--- a/{part}" for part in more["diff"].split("--- a/")[1:]]
    edits = []
    for file, part in zip(more["files"], parts, strict=True):
        before = (version.root / file).read_text(encoding="utf-8")
        edits.append(Edit(file, before, patched(before, part)))
    return Mend("", "", tuple(edits))


def patched(text: str, diff: str) -> str:
    """Return a text with a unified diff applied."""
    lines, made, at = text.splitlines(keepends=True), [], 0
    for line in diff.splitlines(keepends=True)[2:]:
        if line.startswith("@@"):
            first = int(line.split()[1].split(",")[0].removeprefix("-"))
            count = int((line.split()[1].split(",") + ["1"])[1])
            start = first - 1 if count else first
            made += lines[at:start]
            at = start
        elif line.startswith("+"):
            made.append(line[1:])
        elif not line.startswith("\\"):
            if line.startswith(" "):
                made.append(lines[at])
            at += 1
    return "".join([*made, *lines[at:]])


def _line(row: dict[str, Any]) -> str:
    fresh = "" if row["verdict"] != "mended" else "  holds" if row["fresh"] else f"  DOES NOT HOLD: {row['fresh_says']}"
    said = row.get("mend") or (row.get("reasons") or [row.get("reason", "")])[-1:]
    return (
        f"{row['group']:16}{row['subject']:28}{row['finding']:3} {row['kind']:13}{row['verdict']:13}"
        f"{row['tried']:3}/{row['candidates']:<3}{row['seconds']:7.1f} s{fresh}  {said}"
    )  # fmt: skip


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: _figures(some) for name, some in (
        ("ports", [row for row in rows if row["group"] == "port"]),
        ("mutants", [row for row in rows if row["group"] not in ("port", "corpus")]),
        ("corpus", [row for row in rows if row["group"] == "corpus"]),
        ("all", rows),
    ) if some}  # fmt: skip


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    mended = [row for row in rows if row["verdict"] == "mended"]
    return {
        "findings": len(rows), "mended": len(mended), "share": round(len(mended) / len(rows), 3), "goal": GOAL,
        "classes": len({(row["group"], row["subject"]) for row in rows}),
        "classes_mended": len({(row["group"], row["subject"]) for row in mended}),
        "hold": sum(row["fresh"] for row in mended), "none": sum(row["verdict"] == "none" for row in rows),
        "inconclusive": sum(row["verdict"] == "inconclusive" for row in rows),
        "unusable": sum(row["verdict"] == "unusable" for row in rows),
        "seconds_median": round(median(row["seconds"] for row in rows), 1),
        "size_median": median(row["size"] for row in mended) if mended else None,
    }  # fmt: skip


def show(result: dict[str, Any]) -> str:
    """The table."""
    lines = [_line(row) for row in result["rows"]]
    for name, each in result["summary"].items():
        lines.append(
            f"{name}: {each['mended']} of {each['findings']} findings mended ({each['share']:.0%}, goal {GOAL:.0%}), "
            f"{each['hold']} of {each['mended']} hold in a fresh check; {each['none']} none, "
            f"{each['inconclusive']} inconclusive, {each['unusable']} unusable; median {each['seconds_median']} s, "
            f"{each['size_median']} lines"
        )
    return "\n".join(lines)
