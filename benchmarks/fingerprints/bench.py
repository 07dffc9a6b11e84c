"""Do findings keep their fingerprints? `plait check` on classes with known defects, edited and on other interpreters.

Each class of `shop` is checked as it is; then once for each edit that leaves its defects alone (`edits`). A finding is
kept if its fingerprint is among those of the edited class. What only the edited class shows counts as new: a baseline
would turn red for it.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.fingerprints.edits import EDITS

SHOP = (Path(__file__).parent / "shop.py").read_text(encoding="utf-8")
CLASSES = tuple(re.findall(r"^class (\w+):", SHOP, re.MULTILINE))
TESTS = 40  # of one check


def run(
    subject: str | None = None, sample: int | None = None, max_tests: int | None = None, seed: int = 0,
    progress: Callable[[str], None] = lambda _line: None,
):  # fmt: skip
    """Check each class (or those named in ``subject``) with each edit, or with the first ``sample`` of them."""
    rows = []
    for name in subject.split(",") if subject else CLASSES:
        before = _checked(name, SHOP, max_tests or TESTS, seed)
        row = {"subject": name, "findings": len(before), "expected": 0, "kept": 0, "new": 0, "lost": []}
        for edit, change in list(EDITS.items())[:sample]:
            progress(f"{name}, {edit}")
            after = _checked(name, change(SHOP), max_tests or TESTS, seed)
            row["expected"] += len(before)
            row["kept"] += len(before & after)
            row["new"] += len(after - before)
            if before - after:
                row["lost"].append(edit)
        rows.append(row)
    expected, kept = (sum(row[key] for row in rows) for key in ("expected", "kept"))
    summary = {
        "edits": len(list(EDITS)[:sample]), "findings": sum(row["findings"] for row in rows), "expected": expected,
        "kept": kept, "share": round(kept / expected, 4) if expected else None, "new": sum(row["new"] for row in rows),
        "python": sys.version.split()[0], "max_tests": max_tests or TESTS,
    }  # fmt: skip
    return {"rows": rows, "summary": summary}


def fingerprints(name: str, interpreter: str = sys.executable, tests: int = TESTS, seed: int = 0) -> set[str]:
    """Return the fingerprints of a class as it is, on another interpreter that has plait."""
    return _checked(name, SHOP, tests, seed, interpreter)


def _checked(name: str, source: str, tests: int, seed: int, interpreter: str = sys.executable) -> set[str]:
    with tempfile.TemporaryDirectory(prefix="plait-") as folder:
        Path(folder, "shop.py").write_text(source, encoding="utf-8")
        command = [interpreter, "-m", "plait", "check", f"shop:{name}", "--max-tests", str(tests), "--workers", "1"]
        done = subprocess.run(
            [*command, "--seed", str(seed), "--json", "result.json"], cwd=folder, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{name}: {done.stderr or done.stdout}")
        result = json.loads(Path(folder, "result.json").read_text(encoding="utf-8"))
    return {finding["fingerprint"] for finding in result["findings"]}


def show(result) -> str:
    """Return the table as text."""
    lines = [f"{'class':12}{'findings':>10}{'kept':>14}{'new':>6}  lost by"]
    for row in result["rows"]:
        kept = f"{row['kept']} of {row['expected']}"
        lines.append(f"{row['subject']:12}{row['findings']:>10}{kept:>14}{row['new']:>6}  {', '.join(row['lost'])}")
    summary = result["summary"]
    share = "" if summary["share"] is None else f", {summary['share']:.1%} kept".replace("%", " %")
    lines.append(f"{summary['findings']} fingerprints, {summary['edits']} edits{share}, {summary['new']} new")
    return "\n".join(lines)
