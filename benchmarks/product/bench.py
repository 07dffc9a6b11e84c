"""How fast the product is, beside the engine inside of it: `plait check` and `plait diff` as users wait for them.

``check`` rows (CovCon's 18 ports, sound): ``schedules_per_cpu_s`` is what one worker of a check explores, from making
tests to judging executions, ``engine_per_cpu_s`` what the engine makes of the same tests and searches when nothing else
is done; ``share`` is their ratio, ``parts`` where the time of the check goes. ``first`` rows: seconds by the clock from
typing the command to its first finding, for the 18 ports with their faults (`plait check`), ConDiff's B scenarios
(`plait diff`, to its end) and the demonstration.

Figures are medians of runs that take turns. ``--beside DIR`` measures another tree of plait in turn with this one.
``--subject`` chooses modules (``first`` leaves out the ``check`` rows, ``check`` the others), ``--max-tests`` makes it
shorter.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.condiff.scenarios import SUBJECTS, make_scenario
from benchmarks.covcon.table import ROWS, Row
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
TESTS = 400
FIRST_S = 5  # of a check that looks for a first finding, at most
LIMIT_S = 600
GOALS = {"share_percent": 40.0, "first_check_s": 1.0, "first_diff_s": 1.5, "demo_s": 1.0, "faster": 4.0}


def run(
    *, runs: int = 5, max_tests: int = TESTS, subject: str | None = None, seed: int = 0, beside: Path | None = None,
    progress: Callable[[str], None] = print,
) -> dict[str, Any]:  # fmt: skip
    """Measure; ``subject`` names modules or kinds of rows, with commas between them."""
    wanted = None if subject is None else {each.strip() for each in subject.split(",")}
    trees = sources(beside)
    rows = [_Row("check", row.module, row) for row in ROWS]
    rows += [_Row("first", row.module, row) for row in ROWS]
    rows += [_Row("first", f"{each.number} B", each.number) for each in SUBJECTS]
    rows.append(_Row("first", "demo", None))
    chosen = [row for row in rows if wanted is None or wanted & {row.kind, row.subject, row.subject.partition(" ")[0]}]
    if not chosen:
        names = sorted({row.subject.partition(" ")[0] for row in rows})
        raise UsageError(f"--subject {subject}: there is check, first, {', '.join(names)}")
    for number in range(1, runs + 1):
        for row in chosen:
            progress(f"{row.kind} {row.subject}: run {number} of {runs}")
            for tree, source in trees.items() if number % 2 else reversed(trees.items()):
                row.measure(tree, source, max_tests, seed)
    for row in chosen:
        if row.kind == "check":
            row.parts = _inside(trees["here"], row.port, max_tests, seed, "parts")["parts"]
    shown = [row.as_json() for row in chosen]
    return {"rows": shown, "summary": summary(shown, runs)}


def sources(beside: Path | None) -> dict[str, Path]:
    """What is measured: this tree, and the one beside it."""
    if beside is None:
        return {"here": ROOT / "src"}
    if not (beside / "src" / "plait" / "__init__.py").is_file():
        raise UsageError(f"--beside {beside}: there is no tree of plait (no src/plait)")
    return {"here": ROOT / "src", "beside": beside.resolve() / "src"}


class _Row:
    """One subject: what its runs have shown, by tree."""

    def __init__(self, kind: str, subject: str, what: Any) -> None:
        self.kind, self.subject, self._what = kind, subject, what
        self.parts: dict[str, float] = {}
        self._runs: dict[str, list[dict[str, Any]]] = {}

    @property
    def port(self) -> Row:
        return self._what  # type: ignore[no-any-return]

    def measure(self, tree: str, source: Path, tests: int, seed: int) -> None:
        if self.kind == "check":
            found = _inside(source, self.port, tests, seed, "rate")
        else:
            found = _first(source, self._what, seed)
        self._runs.setdefault(tree, []).append(found)

    def as_json(self) -> dict[str, Any]:
        shown = {"subject": self.subject, "kind": self.kind, **self._figures("here")}
        if "beside" in self._runs:
            shown["beside"] = self._figures("beside")
        if self.parts:
            whole = sum(self.parts.values())
            shown["parts"] = {part: round(100 * spent / whole, 1) for part, spent in sorted(self.parts.items())}
        return shown

    def _figures(self, tree: str) -> dict[str, Any]:
        runs = self._runs[tree]
        if self.kind == "first":
            missing = sum(each["first_s"] is None for each in runs)
            times = [each["first_s"] for each in runs if each["first_s"] is not None]
            return {
                "first_finding_s": round(median(times), 2) if times else None, "not_found": missing,
                "cpu_s": round(median(each["cpu_s"] for each in runs), 2),
            }  # fmt: skip
        rate = median(each["schedules"] / each["cpu_s"] for each in runs)
        engine = median(each["engine_rate"] for each in runs)
        return {
            "schedules_per_cpu_s": round(rate), "engine_per_cpu_s": round(engine), "share": round(rate / engine, 3),
            "tests_per_cpu_s": round(median(each["tests"] / each["cpu_s"] for each in runs)),
            "tests": runs[0]["tests"], "schedules": runs[0]["schedules"], "findings": runs[0]["findings"],
        }  # fmt: skip


def _inside(source: Path, row: Row, tests: int, seed: int, kind: str) -> dict[str, Any]:
    command = [
        sys.executable, "-m", "benchmarks.product.inside", str(row.sound.parent), row.module, row.cls, str(tests),
        str(seed), kind,
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=ROOT, env=environment(source), capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{row.module}: {(done.stderr.strip().splitlines() or ['no output'])[-1]}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def environment(source: Path) -> dict[str, str]:
    """The path of the measured tree comes first; compiled modules are kept, as they are in an installation."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONHASHSEED": "0", "PYTHONPATH": f"{source}{os.pathsep}{ROOT}"}


def _first(source: Path, what: Row | str | None, seed: int) -> dict[str, Any]:
    """Seconds from typing to the first finding, and the processor's time of the whole command."""
    with tempfile.TemporaryDirectory(prefix="plait-product-") as name:
        folder = Path(name)
        if isinstance(what, Row):
            words = ["check", f"{what.module}:{what.cls}", "--path", str(what.faulty.parent)]
            words += ["--budget", f"{FIRST_S}s"]
        elif what is not None:
            make_scenario(what, "B", folder)
            chosen = next(each for each in SUBJECTS if each.number == what)
            words = ["diff", f"{chosen.module}:{chosen.class_name}", "--old", "dir:old", "--new", "dir:new"]
        else:
            demo = ROOT / "benchmarks" / "demo"
            words = ["diff", "account:Account", "--old", f"dir:{demo / 'old'}", "--new", f"dir:{demo / 'new'}"]
        words += ["--seed", str(seed), "--fresh", "--quiet", "--json", "result.json"]
        before = _children_s()
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "plait", *words], cwd=folder, env=environment(source), timeout=LIMIT_S,
            capture_output=True, check=False,
        )  # fmt: skip
        wall = time.perf_counter() - started
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    found = wall if result["findings"] else None
    if isinstance(what, Row) and found is not None:
        # A check goes on for other findings: what it did behind the first one is no part of the wait for it.
        first = result["stats"]["seconds_to_first"]
        found = None if first is None else wall - result["elapsed_s"] + first
    return {"first_s": found, "cpu_s": _children_s() - before}


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def summary(rows: list[dict[str, Any]], runs: int) -> dict[str, Any]:
    """Medians over the rows, and how the other tree compares where there was one."""
    found: dict[str, Any] = {"runs": runs, "goals": GOALS, "load": round(os.getloadavg()[0], 1)}
    checks = [row for row in rows if row["kind"] == "check"]
    if checks:
        found |= _medians(checks)
        if "beside" in checks[0]:
            theirs = [row["beside"] for row in checks]
            found["beside"] = _medians(theirs)
            ratios = [row["schedules_per_cpu_s"] / row["beside"]["schedules_per_cpu_s"] for row in checks]
            found["faster"] = round(median(ratios), 2)
            same = ("tests", "schedules", "findings")
            found["same_work"] = all(row[key] == row["beside"][key] for row in checks for key in same)
    kinds = {
        "first_check_s": [row for row in rows if row["kind"] == "first" and row["subject"] in _MODULES],
        "first_diff_s": [row for row in rows if row["subject"].endswith(" B")],
        "demo_s": [row for row in rows if row["subject"] == "demo"],
    }
    for key, some in kinds.items():
        for prefix, figures in (("", some), ("beside_", [row["beside"] for row in some if "beside" in row])):
            times = [row["first_finding_s"] for row in figures if row["first_finding_s"] is not None]
            if times:
                found[f"{prefix}{key}"] = round(median(times), 2)
    return found


_MODULES = frozenset(row.module for row in ROWS)


def _medians(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schedules_per_cpu_s": round(median(row["schedules_per_cpu_s"] for row in rows)),
        "engine_per_cpu_s": round(median(row["engine_per_cpu_s"] for row in rows)),
        "share_percent": round(100 * median(row["share"] for row in rows), 1),
    }


def show(result: dict[str, Any]) -> str:
    """The table as text."""
    lines = []
    checks = [row for row in result["rows"] if row["kind"] == "check"]
    firsts = [row for row in result["rows"] if row["kind"] == "first"]
    if checks:
        head = f"{'check':28}{'schedules/cpu s':>16}{'engine alone':>14}{'share':>8}  beside"
        lines.append(f"{head}  where the time goes")
    for row in checks:
        parts = sorted(row.get("parts", {}).items(), key=lambda each: -each[1])
        said = ", ".join(f"{part} {share:.0f} %" for part, share in parts if share >= 1)
        beside = f"{row['beside']['schedules_per_cpu_s']:>8}" if "beside" in row else f"{'-':>8}"
        lines.append(
            f"{row['subject']:28}{row['schedules_per_cpu_s']:>16}{row['engine_per_cpu_s']:>14}"
            f"{100 * row['share']:>6.0f} %{beside}  {said}"
        )
    if firsts:
        lines.append(f"{'from typing to the finding':28}{'seconds':>10}{'cpu s':>8}     beside")
    for row in firsts:
        beside = f"{_seconds(row['beside'])}" if "beside" in row else "-"
        lines.append(f"{row['subject']:28}{_seconds(row):>10}{row['cpu_s']:>8}{beside:>11}")
    return "\n".join([*lines, _said(result["summary"])])


def _seconds(row: dict[str, Any]) -> str:
    return "not found" if row["first_finding_s"] is None else f"{row['first_finding_s']:.2f}"


def _said(summary: dict[str, Any]) -> str:
    parts = []
    if "share_percent" in summary:
        rates = f"{summary['schedules_per_cpu_s']} schedules per cpu s"
        parts.append(f"{rates}, {summary['share_percent']} % of the engine's rate (goal 40 %)")
    if "faster" in summary:
        which = "the same" if summary["same_work"] else "OTHER"
        parts.append(f"{summary['faster']}x the tree beside ({which} tests, schedules and findings)")
    words = {"first_check_s": "first finding", "first_diff_s": "diff", "demo_s": "demo"}
    for key, word in words.items():
        if key in summary:
            before = f", beside {summary[f'beside_{key}']} s" if f"beside_{key}" in summary else ""
            parts.append(f"{word} {summary[key]} s (goal {GOALS[key]:g} s{before})")
    return f"medians: {'; '.join(parts)}; load of the machine {summary['load']}"
