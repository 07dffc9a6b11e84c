"""`plait audit` of real packages, with nothing given but their names: how many public names get a verdict, and why not.

``packages.json`` has 20 releases in pure Python: twelve of those that `plait bench drive` takes for packages with locks
or with a claim to be safe, and eight popular ones. Each is audited by the command itself, in an empty folder, by steps
(``max_tests`` for each class) or by the clock (``seconds`` for each package); the processor time is that of all its
processes. Of each class or module that was called unsafe, the first finding is replayed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept, names
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HERE = Path(__file__).parent
GOAL, GOAL_S = 0.9, 600.0  # public names with a verdict; seconds of a package, on two cores
LONGEST = 3600.0  # seconds after which an audit by steps is ended
_SUBREAPER, _ORPHANS_S = 36, 10.0  # PR_SET_CHILD_SUBREAPER; seconds to wait for those
_AGAIN = re.compile(r"Replayed (\d+) of (\d+) times")
_KINDS = (
    ("no time", "no time was left|time was over|give more|budget ended|not one test"),
    ("needs a package", "required dependenc|ImportError|ModuleNotFoundError|is needed to use|cannot be imported"),
    ("is abstract", "abstract|NotImplementedError|left to subclasses|Protocol"),
    ("cannot be built", "cannot be built|built from the wrong parts|no values"),
    ("calls always raise", "raised"),
    ("nothing met", "ever touched the same thing"),
    ("asynchronous", "async"),
)


def run(
    *, seconds: float | None = None, max_tests: int = 20, seed: int = 0, sample: int | None = None,
    subject: str | None = None, resume: Path | None = None, progress: Callable[[str], None] = print,
) -> dict[str, Any]:  # fmt: skip
    """Audit the packages, or the first ``sample`` of them; a row per package."""
    listed = json.loads((HERE / "packages.json").read_text(encoding="utf-8"))
    wanted = names(subject)
    for name in wanted:
        if name not in {each["name"] for each in listed}:
            raise UsageError(f"there is no package {name!r}; there are {', '.join(each['name'] for each in listed)}")
    limits = {"seconds": seconds, "max_tests": None if seconds else max_tests, "seed": seed}
    kept = Kept(resume, limits)
    rows = []
    for each in [each for each in listed if not wanted or each["name"] in wanted][:sample]:
        row = kept.get(f"{each['name']} {each['number']}", lambda one=each: measured(one, limits))
        rows.append({"subject": each["name"], "release": each["number"], **row})
        progress(line_of(rows[-1]))
    return {"rows": rows, "summary": summary(rows)}


def measured(package: dict[str, str], limits: dict[str, Any]) -> dict[str, Any]:
    """Return what the audit of one package came to."""
    words = ["audit", package["import"], "--at", f"pypi:{package['name']}=={package['number']}"]
    words += ["--seed", str(limits["seed"]), "--json", "audit.json", "--quiet"]
    given = limits["seconds"]
    words += ["--budget", f"{given:g}s"] if given else ["--max-tests", str(limits["max_tests"])]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        begun = time.monotonic()
        said, cpu = _timed(words, folder, 2 * given + 60.0 if given else LONGEST)
        seconds = time.monotonic() - begun
        if not (folder / "audit.json").exists():
            return {"trouble": said[-300:].strip() or "no end", "seconds": round(seconds, 1), "cpu_s": round(cpu, 1)}
        result = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
        return {**_row(result, folder), "seconds": round(seconds, 1), "cpu_s": round(cpu, 1)}


def _timed(words: list[str], folder: Path, longest: float) -> tuple[str, float]:
    """Run a command; return what it said of errors, and the processor time of it and all that it has started."""
    before = os.times()
    _adopt_orphans()
    command = [sys.executable, "-m", "plait", *words]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = process.communicate(timeout=longest)[1]
        except subprocess.TimeoutExpired:
            process.terminate()
            said = process.communicate()[1]
    until = time.monotonic() + _ORPHANS_S
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.05)
    after = os.times()
    return said, after.children_user + after.children_system - before.children_user - before.children_system


def _adopt_orphans() -> None:
    """Become the parent of what the command leaves behind, so that its time counts: workers outlive it for a moment."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _row(result: dict[str, Any], folder: Path) -> dict[str, Any]:
    stats, subjects = result["stats"], result["subjects"]
    unsafe = [each for each in subjects if each["verdict"] == "unsafe"]
    left = [each for each in subjects if each["verdict"] == "not_judged"]
    first: dict[str, int] = {}
    for number, finding in enumerate(result["findings"], 1):
        if "schedule" in finding:  # a call that kills its process has none
            first.setdefault(finding["subject"], number)
    return {
        "classes": stats["classes"], "functions": stats["functions"], "lines": stats["lines"],
        "unsafe": len(unsafe), "against_their_word": sum(each["claim"] in ("promised", "locked") for each in unsafe),
        "no_violation": stats["no_violation"], "not_judged": len(left), "findings": len(result["findings"]),
        "shown": len(first), "replayed": sum(_replays(number, folder) for number in first.values()),
        "why_not": dict(Counter(kind_of(each["reason"]) for each in left).most_common()),
        "supported": result["free_threading"]["supported"],
        "not_judged_names": {each["name"]: each["reason"] for each in left},
    }  # fmt: skip


def _replays(number: int, folder: Path) -> bool:
    """Return whether a finding replays each time."""
    words = [sys.executable, "-m", "plait", "replay", "audit.json", "--finding", str(number)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=300.0)
    said = _AGAIN.search(done.stdout)
    return said is not None and said[1] == said[2]


def kind_of(reason: str) -> str:
    """Return in two or three words why something was not judged."""
    return next((kind for kind, words in _KINDS if re.search(words, reason)), "other")


def summary(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the totals."""
    made = [row for row in rows if "trouble" not in row]
    fields = ("classes", "functions", "unsafe", "against_their_word", "no_violation", "not_judged", "findings", "shown")
    totals: dict[str, Any] = {name: sum(row[name] for row in made) for name in (*fields, "replayed", "lines", "cpu_s")}
    why = Counter[str]()
    for row in made:
        why.update(row["why_not"])
    return {
        **totals, "cpu_s": round(totals["cpu_s"], 1), "packages": len(made), "why_not": dict(why.most_common()),
        "enough": sum(_rate(row) >= GOAL for row in made), "rate": round(_rate(totals), 3), "goal": GOAL,
        "in_time": sum(row["cpu_s"] <= 2 * GOAL_S for row in made),
    }  # fmt: skip


def _rate(row: dict[str, Any]) -> float:
    return 1 - row["not_judged"] / max(1, row["classes"] + row["functions"])


def line_of(row: dict[str, Any]) -> str:
    """Return one package as a line."""
    head = f"{row['subject']:<16}"
    if "trouble" in row:
        return f"{head}failed: {row['trouble']}"
    names_ = row["classes"] + row["functions"]
    why = ", ".join(f"{kind} {count}" for kind, count in row["why_not"].items())
    counts = f"{row['unsafe']:>5}{row['against_their_word']:>5}{row['no_violation']:>6}{row['not_judged']:>6}"
    again = f"{row['replayed']}/{row['shown']}"
    return f"{head}{names_:>6}{counts}{_rate(row):>7.0%}{again:>8}{row['cpu_s']:>8.0f} s  {why}".rstrip()


def show(result: dict[str, Any]) -> str:
    """Return the table as text."""
    totals = result["summary"]
    head = f"{'package':<16}{'names':>6}{'bad':>5}{'word':>5}{'none':>6}{'open':>6}{'rate':>7}{'again':>8}{'CPU':>8}"
    again = f"{totals['replayed']} of {totals['shown']} first findings replay each time"
    every = totals["classes"] + totals["functions"]
    ending = (
        f"{totals['rate']:.1%} of {every} public names have a verdict (goal {totals['goal']:.0%}); in "
        f"{totals['enough']} of {totals['packages']} packages as many as that; {again}; {totals['in_time']} needed no "
        f"more than {2 * GOAL_S:.0f} s of processor time (ten minutes on two cores)"
    )
    return "\n".join([f"{head}    why it is open", *map(line_of, result["rows"]), "", ending])
