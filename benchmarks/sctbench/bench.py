"""SCTBench's programs in Python: the schedules that each search needs until one fails, beside the published figures.

``auto`` is what `plait explore` does if no search is named. A figure is the median over the seeds, of which a search
that draws nothing needs one; a search may take so many schedules for each seed, and so much processor time for all. The
sound version of each program is explored by ``auto``, as far as the same limits reach: it must be silent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.asked import names
from benchmarks.sctbench.catalogue import LEFT_OUT, PROGRAMS, SUMS, TRIALS, Program
from plait.errors import UsageError
from plait.model.choices import SEARCHES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = "auto"
PUBLISHED = ("rff", "pos", "pct", "period")
BUSY = 30  # times its processor time a search may take where others keep the machine busy


def run(
    *, runs: int = 20, seconds: float = 60.0, max_schedules: int = 10_000, subject: str = "",
    ask: str | None = None, progress: Callable[[str], None] = print,
) -> dict[str, Any]:  # fmt: skip
    """Measure; ``runs`` are seeds, ``seconds`` of processor time for each search of a program, ``ask`` the searches."""
    searches = names(ask) or SEARCHES
    for name in searches:
        if name not in SEARCHES:
            raise UsageError(f"--ask: there is no search {name!r}; there are {', '.join(SEARCHES)}")
    chosen, rows = _chosen(subject), list[dict[str, Any]]()
    order = {"seeds": runs, "limit": max_schedules, "seconds": seconds}
    for number, program in enumerate(chosen, 1):
        progress(f"{number} of {len(chosen)}: {program.name}")
        for measured in _measured(program, {**order, "searches": list(searches)}):
            rows.append(_row(program, "faulty", measured))
        if DEFAULT in searches:
            [silent] = _measured(program, {**order, "searches": [DEFAULT], "seeds": 1, "sound": True})
            rows.append(_row(program, "sound", silent))
    limits = {"runs": runs, "seconds": seconds, "max_schedules": max_schedules}
    return {"rows": rows, "summary": {**limits, **_summary(rows, searches)}}


def _chosen(names: str) -> list[Program]:
    """Those that are named, wholly or by the end of their names, with commas between them; all if none is."""
    wanted = [name for name in names.split(",") if name]
    for name in wanted:
        if not any(_is_named(program, name) for program in PROGRAMS):
            raise UsageError(f"--subject: there is no program {name!r} in this table; there is {PROGRAMS[0].name} ...")
    return [program for program in PROGRAMS if not wanted or any(_is_named(program, name) for name in wanted)]


def _is_named(program: Program, name: str) -> bool:
    return name in (program.name, program.name.rpartition("/")[2], program.name.partition("/")[0])


def _measured(program: Program, order: dict[str, Any]) -> list[dict[str, Any]]:
    """Each program in a process of its own, which has to be killed if it does not end."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.sctbench.measure", program.name, json.dumps(order)],
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=False,
        timeout=BUSY * (len(order["searches"]) * (order["seconds"] + 5) + 60),
    )  # fmt: skip
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no output"]
        raise RuntimeError(f"{program.name}: {last[0]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _row(program: Program, version: str, measured: dict[str, Any]) -> dict[str, Any]:
    published = {
        name: {"schedules": figure, "found_in": program.trials.get(name, TRIALS), "trials": TRIALS}
        for name, figure in program.published.items()
    }
    return {
        "subject": program.name, "version": version, "threads": program.threads, **measured, "published": published,
    }  # fmt: skip


def _summary(rows: Sequence[dict[str, Any]], searches: Sequence[str]) -> dict[str, Any]:
    faulty = [row for row in rows if row["version"] == "faulty"]
    sound = [row for row in rows if row["version"] == "sound"]
    told = {}
    for search in searches:
        own = [row for row in faulty if row["search"] == search]
        found = [row["schedules"] for row in own if row["found"]]
        told[search] = {
            "programs": len(own), "found": len(found), "geometric_mean": _mean(found),
            "seconds": round(sum(row["seconds"] for row in own), 1),
        }  # fmt: skip
    by_any = {row["subject"] for row in faulty if row["found_in"]}
    return {
        "searches": told, "found_by_any": len(by_any), "programs": len({row["subject"] for row in faulty}),
        "alarms": [row["subject"] for row in sound if row["found_in"]], "sound": len(sound), "published": SUMS,
        "left_out": LEFT_OUT,
    }  # fmt: skip


def _mean(figures: Sequence[float]) -> float | None:
    return round(exp(sum(map(log, figures)) / len(figures)), 2) if figures else None


def show(result: dict[str, Any]) -> str:
    """A line for each program, one for each search, and what was left out."""
    summary = result["summary"]
    faulty = [row for row in result["rows"] if row["version"] == "faulty"]
    searches = list(summary["searches"])
    heads = [_short(name) for name in searches]
    width = 2 + max(len(head) for head in heads)
    lines = [
        f"{'schedules to the first failure':<32}" + "".join(f"{head:>{width}}" for head in heads)
        + "   |" + "".join(f"{name.upper():>8}" for name in PUBLISHED),
    ]  # fmt: skip
    for subject in dict.fromkeys(row["subject"] for row in faulty):
        own = {row["search"]: row for row in faulty if row["subject"] == subject}
        published = next(iter(own.values()))["published"]
        lines.append(
            f"{subject[:31]:<32}" + "".join(f"{_cell(own[name]):>{width}}" for name in searches)
            + "   |" + "".join(f"{_figure(published.get(name)):>8}" for name in PUBLISHED)
        )  # fmt: skip
    lines += ["", "- not found in half of the seeds or more; * found in some seeds only; . all was tried: no failure"]
    lines.append("")
    lines.append(f"{'search':<14}{'found':>10}{'geometric mean':>16}{'seconds':>10}   published: found, mean")
    for name, told in summary["searches"].items():
        known = summary["published"].get(name)
        beside = "" if known is None else (
            f"{known['found']} of {known['programs']}, {known['geometric_mean']} over {known['over']}"
        )  # fmt: skip
        mean = "-" if told["geometric_mean"] is None else f"{told['geometric_mean']:.1f}"
        found = f"{told['found']} of {told['programs']}"
        lines.append(f"{name:<14}{found:>10}{mean:>16}{told['seconds']:>10.0f}   {beside}")
    lines.append(f"{summary['found_by_any']} of {summary['programs']} programs found by at least one search")
    lines.append(
        f"{summary['sound'] - len(summary['alarms'])} of {summary['sound']} sound versions are silent"
        + (f"; alarms: {', '.join(summary['alarms'])}" if summary["alarms"] else "")
    )
    lines += [f"left out: {name}: {why}" for name, why in summary["left_out"].items()]
    return "\n".join(line.rstrip() for line in lines)


def _short(name: str) -> str:
    return {"stateful": "state", "stateful-bfs": "state-b"}.get(name, name)


def _cell(row: dict[str, Any]) -> str:
    if not row["found"]:
        return "." if row["exhausted"] else "-*" if row["found_in"] else "-"
    return f"{row['schedules']:g}" + ("" if row["found_in"] == row["seeds"] else "*")


def _figure(told: dict[str, Any] | None) -> str:
    if told is None:
        return ""
    if told["schedules"] is None:
        return "-"
    return f"{told['schedules']:g}" + ("" if told["found_in"] == told["trials"] else "*")
