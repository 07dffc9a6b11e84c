"""The threaded tests of real packages, unmodified and from their source distributions: how many run under control?

A first run, without plait, says which tests start threads; those that pass are given to ``pytest --plait``, with so
many schedules and seconds for each. A test is controlled to its end if it was explored; what runs on OS threads is
not, nor what has one thread under control: then its threads are not plait's. A test that fails only under control is
the package's defect or plait's, and ``explained.json`` says which. ``subject`` names some packages, ``sample`` is the
most tests of each that are explored, evenly spread; a ``resume`` file keeps what was measured, and the tests of a
package that was interrupted are in a file beside it. Packages are fetched once, each into a folder of its own, with
what its tests need.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.asked import Kept, names
from plait.commands.releases import cache_root
from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HERE = Path(__file__).parent
LISTED = HERE / "packages.json"
EXPLAINED = HERE / "explained.json"
LONGEST = 5.0  # seconds of one test in the run without plait
PLAIN = 600.0  # seconds of that run
GOALS = {"packages": 15, "tests": 1500, "controlled": 0.9}
_ALWAYS = (
    *"-p threads_seen -p no:cacheprovider -p no:randomly -p no:xdist -q -o addopts=".split(),
    "--continue-on-collection-errors",
)
_OWN = ("pytest", "_pytest", "pluggy")  # of plait's environment, never of the package's folder


@dataclass(frozen=True, slots=True)
class Suite:
    """A package: its release, where its modules and tests are in the source distribution, and what the tests need."""

    name: str
    number: str
    path: str
    tests: tuple[str, ...]
    needs: tuple[str, ...]

    def folder(self) -> Path:
        """Where it is kept."""
        return cache_root() / "suites" / f"{self.name}-{self.number}"


def suites() -> list[Suite]:
    """Return the packages that are listed."""
    return [
        Suite(row["name"], row["number"], row["path"], tuple(row["tests"]), tuple(row["needs"]))
        for row in json.loads(LISTED.read_text(encoding="utf-8"))
    ]


def run(
    *, seconds: float = 5.0, max_schedules: int = 10, seed: int = 0, sample: int | None = None,
    subject: str | None = None, resume: Path | None = None, progress: Callable[[str], None] = print,
) -> dict[str, Any]:  # fmt: skip
    """Measure; a row per package."""
    wanted, listed = names(subject), suites()
    for name in wanted:
        if name not in {suite.name for suite in listed}:
            raise UsageError(f"there is no suite {name!r}; there are {', '.join(suite.name for suite in listed)}")
    limits: dict[str, Any] = {"seconds": seconds, "max_schedules": max_schedules, "seed": seed, "sample": sample}
    kept = Kept(resume, limits)
    rows = []
    for suite in listed:
        if wanted and suite.name not in wanted:
            continue
        mark = f"{suite.name}-{max_schedules}-{seconds:g}-{seed}"
        own = {**limits, "partly": None if resume is None else Path(f"{resume}.{mark}")}
        row = kept.get(f"{suite.name} {suite.number}", lambda one=suite, own=own: measured(one, own))
        rows.append({"subject": suite.name, "release": suite.number, **row})
        progress(line_of(rows[-1]))
    return {"rows": rows, "summary": {**limits, **summary(rows)}}


def measured(suite: Suite, limits: dict[str, Any]) -> dict[str, Any]:
    """What becomes of the threaded tests of a package."""
    source, needs = fetch(suite)
    plain = started(suite, source, needs)
    threaded = [each for each in plain if each["threads"] and each["outcome"] == "passed"]
    chosen = [each["test"] for each in threaded]
    if limits["sample"] is not None:
        chosen = chosen[:: max(1, -(-len(chosen) // limits["sample"]))]
    told = explored(suite, source, needs, chosen, limits) if chosen else []
    return {"tests": len(plain), "threaded": sum(each["threads"] > 0 for each in plain), **judged(suite, chosen, told)}


def judged(suite: Suite, chosen: Sequence[str], told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Count what was said of the chosen tests; one of which nothing was said had no end."""
    known = json.loads(EXPLAINED.read_text(encoding="utf-8")).get(suite.name, {})
    ran = Counter(each["ran"] for each in told)
    failed = [each for each in told if each["outcome"] == "failed"]
    why = Counter(str(each.get("why", each["ran"]))[:120] for each in told if each["ran"] != "explored")
    return {
        "asked": len(chosen), "controlled": ran["explored"], "schedules": _schedules(told),
        "on_os_threads": ran["OS threads"], "not_run": len(chosen) - ran["explored"] - ran["OS threads"],
        "why": dict(why.most_common()),
        "failed": {each["test"]: _said(each) for each in failed},
        "unexplained": [each["test"] for each in failed if each["test"] not in known],
        "explained": {each["test"]: known[each["test"]] for each in failed if each["test"] in known},
    }  # fmt: skip


def _schedules(told: Sequence[dict[str, Any]]) -> int:
    return sum(each.get("schedules") or 0 for each in told if each["ran"] == "explored")


def _said(told: dict[str, Any]) -> str:
    return str((told.get("failure") or {}).get("summary", "?"))[:200]


# -- the packages -------------------------------------------------------------------------------------------------


def fetch(suite: Suite) -> tuple[Path, Path]:
    """Return the folders of the source distribution and of what its tests need."""
    home = suite.folder()
    source, needs = home / "source", home / "needs"
    if not (home / "complete").exists():
        home.mkdir(parents=True, exist_ok=True)
        release = f"{suite.name}=={suite.number}"
        _pip("download", "--no-deps", "--no-binary", ":all:", "--dest", str(home), release)
        file = next(home.glob("*.tar.gz"), None)
        if file is None:
            raise UsageError(f"{release}: there is no source distribution that can be unpacked")
        with tarfile.open(file) as archive:
            archive.extractall(home / "unpacked", filter="data")
        next((home / "unpacked").iterdir()).rename(source)
        _pip("install", "--prefer-binary", "--no-compile", "--target", str(needs), release, *suite.needs)
        for name in _OWN:
            shutil.rmtree(needs / name, ignore_errors=True)
        (home / "complete").touch()
    return source, needs


def _pip(*words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "-q", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(f"pip {words[0]} {words[-1]}: {done.stderr.strip().splitlines()[-1:] or 'no reason given'}")


def started(suite: Suite, source: Path, needs: Path) -> list[dict[str, Any]]:
    """Run the tests without plait; what each of them started, and its outcome."""
    file = suite.folder() / "started.jsonl"
    file.unlink(missing_ok=True)
    _pytest(suite, source, needs, PLAIN, f"--threads-seen={file}", f"--test-seconds={LONGEST:g}")
    return _lines(file)


def explored(
    suite: Suite, source: Path, needs: Path, chosen: Sequence[str], limits: dict[str, Any]
) -> list[dict[str, Any]]:
    """Explore the chosen tests; whoever ends the process costs the test that was running, not the others.

    ``limits["partly"]`` is the beginning of the names of files with what was told before an interruption.
    """
    account, only = Path(limits["partly"] or suite.folder() / "account.json"), suite.folder() / "only.txt"
    running, before = Path(f"{account}.lines"), Path(f"{account}.told")
    if limits["partly"] is None:
        before.unlink(missing_ok=True)
        running.unlink(missing_ok=True)
    told = _lines(before)
    while True:
        told += _lines(running)
        before.write_text("".join(f"{json.dumps(line)}\n" for line in told), encoding="utf-8")
        begun = {line.get("started", line.get("test")) for line in told}
        left = [test for test in chosen if test not in begun]
        if not left:
            break
        only.write_text("\n".join(left), encoding="utf-8")
        for file in (account, running):
            file.unlink(missing_ok=True)
        _pytest(
            suite, source, needs, len(left) * 4 * limits["seconds"] + 60.0, "--plait", f"--only-tests={only}",
            f"--plait-schedules={limits['max_schedules']}", f"--plait-seconds={limits['seconds']:g}",
            f"--plait-seed={limits['seed']}", f"--plait-result={account}",
        )  # fmt: skip
        if account.exists():
            told += json.loads(account.read_text(encoding="utf-8"))["tests"]
            break
        if not _lines(running):
            break
    return [line for line in told if "started" not in line]


def _pytest(suite: Suite, source: Path, needs: Path, seconds: float, *options: str) -> None:
    path = os.pathsep.join(map(str, (source / suite.path, needs, HERE)))
    words = [sys.executable, "-m", "pytest", *_ALWAYS, f"--rootdir={source}", *options, *suite.tests]
    # A suite's own time limit for a test would count all schedules together.
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0", "PYTEST_TIMEOUT": "0"}
    with (suite.folder() / "output.txt").open("a", encoding="utf-8") as output:
        try:
            subprocess.run(
                words, cwd=source, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                timeout=seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            output.write("killed: its time was over\n")


def _lines(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


# -- showing ------------------------------------------------------------------------------------------------------


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The sums of all packages."""
    kinds = ("threaded", "asked", "controlled", "on_os_threads", "not_run", "schedules")
    return {
        "goals": GOALS, "packages": sum(row["controlled"] > 0 for row in rows),
        **{kind: sum(row[kind] for row in rows) for kind in kinds},
        "failed": sum(len(row["failed"]) for row in rows),
        "unexplained": [test for row in rows for test in row["unexplained"]],
    }  # fmt: skip


def line_of(row: dict[str, Any]) -> str:
    """A package in a line."""
    name = f"{row['subject']} {row['release']}"
    return (
        f"{name:<34}{row['threaded']:>5} of {row['tests']:<5}{row['controlled']:>4} of {row['asked']:<5}"
        f"{row['on_os_threads']:>4}{row['not_run']:>5}{len(row['failed']):>5}{row['schedules']:>8}"
    )


def show(result: dict[str, Any]) -> str:
    """The table as text, with the reasons."""
    told = result["summary"]
    head = f"{'package':<34}{'start threads':>14}{'controlled':>13}{'OS':>6}{'not':>5}{'fail':>5}{'schedules':>9}"
    lines = [head, *map(line_of, result["rows"])]
    share = told["controlled"] / told["asked"] if told["asked"] else 0.0
    lines.append(
        f"{told['packages']} packages (goal {GOALS['packages']}), {told['controlled']} of {told['asked']} tests that "
        f"start threads controlled to their end ({share:.0%}; goal {GOALS['controlled']:.0%}, {GOALS['tests']} tests)"
    )
    for row in result["rows"]:
        lines += [f"  {row['subject']}: {count} on OS threads or not run: {why}" for why, count in row["why"].items()]
        lines += [f"  {row['subject']}: {test}: {why}" for test, why in row["explained"].items()]
        lines += [f"  {row['subject']}: NOT EXPLAINED: {test}: {row['failed'][test]}" for test in row["unexplained"]]
    return "\n".join(lines)
