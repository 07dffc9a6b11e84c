"""How fast the engine explores, beside the two Python peers, on thirteen small programs.

Every figure is the median of several runs, each in a fresh process, all tools taking turns. ``executions_per_s`` is
the rate of a process's first exploring call; ``steady_executions_per_s`` that of further calls in the same process;
``executions_per_cpu_s`` counts the processor's time of those calls instead, which other load on the machine hardly
changes (and which forgives the peers the time in which their threads wait for each other).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import exp, log
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.engine.catalogue import LONGEST, SUBJECTS, Subject
from benchmarks.engine.tools import PEERS, available
from plait.run import engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ROOT = Path(__file__).resolve().parents[2]
FRAY = 917  # executions per second, the median on its own benchmark (JVM)
GOALS = {"frontrun": 100.0, "interleave_test": 30.0, "longest": 20.0 * FRAY}
MEMORY_GROWTH = 1024  # kilobytes that count as flat


def run(
    *,
    runs: int = 3,
    seconds: float = 5.0,
    progress: Callable[[str], None] = print,
    subjects: Sequence[Subject] = SUBJECTS,
    tools: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Measure every tool that is installed; the result has ``rows`` and ``summary``."""
    tools = available() if tools is None else tools
    missing = [tool for tool in PEERS if tool not in tools]
    if missing:
        need = "" if sys.version_info >= (3, 12) else f", which need Python >= 3.12 (this is {_python()})"
        progress(f"without {' and '.join(missing)}{need}: `make bench-peers` runs all tools side by side")
    figures: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number in range(1, runs + 1):
        for subject in subjects:
            progress(f"run {number} of {runs}: {subject.name}")
            for tool in tools:
                figures.setdefault((subject.name, tool), []).append(_measure(tool, subject, seconds))
    rows = [_row(subject, tool, figures[subject.name, tool]) for subject in subjects for tool in tools]
    about = {"runs": runs, "seconds": seconds, "compiled": not engine.__file__.endswith(".py")}
    return {"rows": rows, "summary": {**about, **_summary(rows), "memory": _memory()}}


def _python() -> str:
    return ".".join(map(str, sys.version_info[:3]))


# -- measuring ----------------------------------------------------------------------------------------------------


def _process(arguments: Sequence[str], launcher: Sequence[str], limit: float) -> dict[str, Any]:
    command = [*launcher, sys.executable, "-m", "benchmarks.engine.measure", *arguments]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"trouble": f"no end within {limit:.0f} s"}
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no output"]
        return {"trouble": f"failed: {last[0]}"}
    figures: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


def _measure(tool: str, subject: Subject, seconds: float) -> dict[str, Any]:
    launcher = [str(Path(sys.executable).with_name("frontrun"))] if tool == "frontrun-dpor" else []
    return _process([tool, subject.name, str(seconds)], launcher, 4 * seconds + 30)


def _memory() -> dict[str, Any]:
    figures = _process(["memory"], [], 120)
    if "after_kb" in figures:
        figures["flat"] = figures["after_kb"] - figures["before_kb"] <= MEMORY_GROWTH
    return figures


# -- rows and summary ---------------------------------------------------------------------------------------------


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _count(values: Iterable[int | None]) -> int | None:
    middle = _middle(values)
    return None if middle is None else round(middle)


def _row(subject: Subject, tool: str, runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    troubles = [run["trouble"] for run in runs if run.get("trouble")]
    done = [] if "inconclusive" in troubles else [run for run in runs if "executions" in run]
    first = _middle(run["first_rate"] for run in done)
    steady = _middle(run["steady_rate"] for run in done)
    cpu = _middle(run["cpu_rate"] for run in done)
    return {
        "subject": subject.name,
        "tool": tool,
        "fault": subject.fault,
        "executions_per_s": None if first is None else round(first, 1),
        "steady_executions_per_s": None if steady is None else round(steady, 1),
        "executions_per_cpu_s": None if cpu is None else round(cpu, 1),
        "executions_to_failure": _count(run["to_failure"] for run in done),
        "executions_to_exhaust": _count(run["executions"] if run["exhausted"] else None for run in done),
        "redundant": _count(run["redundant"] for run in done),
        "classes": subject.classes,
        "trouble": troubles[0] if troubles else None,
    }


def _mean(ratios: Sequence[float]) -> float | None:
    return exp(sum(map(log, ratios)) / len(ratios)) if ratios else None


def _ratios(rows: Sequence[dict[str, Any]], ours: str, peer: str, field: str) -> dict[str, float]:
    """Subject by subject, how many times faster; subjects that the peer could not explore are left out."""
    rates = {(row["subject"], row["tool"]): row[field] for row in rows}
    return {
        name: rate / rates[name, peer]
        for (name, tool), rate in rates.items()
        if tool == ours and rate and rates.get((name, peer))
    }


def _against(rows: Sequence[dict[str, Any]], ours: str, peer: str, goal: float) -> dict[str, Any]:
    first = _ratios(rows, ours, peer, "executions_per_s")
    steady = _ratios(rows, ours, peer, "steady_executions_per_s")
    cpu = _ratios(rows, ours, peer, "executions_per_cpu_s")
    return {
        "ours": ours,
        "peer": peer,
        "goal": goal,
        "geometric_mean": _mean(list(first.values())),
        "steady_geometric_mean": _mean(list(steady.values())),
        "cpu_geometric_mean": _mean(list(cpu.values())),
        "subjects": len(first),
        "least": min(first.items(), key=lambda item: item[1], default=None),
    }


def _summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    longest = {
        row["tool"]: row["executions_per_cpu_s"]
        for row in rows
        if row["subject"] == LONGEST.name and row["tool"] not in PEERS
    }
    counted = {
        row["subject"]: {
            "expected": row["classes"],
            "found": None if row["executions_to_exhaust"] is None else row["executions_to_exhaust"] - row["redundant"],
        }
        for row in rows
        if row["tool"] == "plait-dpor" and row["classes"] is not None
    }
    missed = [
        f"{row['subject']} by {row['tool']}"
        for row in rows
        if row["tool"] not in PEERS and row["fault"] is not None and row["executions_to_failure"] is None
    ]
    return {
        "against_frontrun": _against(rows, "plait-dpor", "frontrun-dpor", GOALS["frontrun"]),
        "against_interleave_test": _against(rows, "plait-dfs", "interleave-test-dfs", GOALS["interleave_test"]),
        "longest": {"subject": LONGEST.name, "goal": GOALS["longest"], "executions_per_cpu_s": longest},
        "classes": counted,
        "classes_exact": all(each["expected"] == each["found"] for each in counted.values()),
        "faults_missed": missed,
    }


# -- for people ---------------------------------------------------------------------------------------------------


def show(result: dict[str, Any]) -> str:
    """The table and the summary as text."""
    rows, summary = result["rows"], result["summary"]
    tools = list(dict.fromkeys(row["tool"] for row in rows))
    cells = {(row["subject"], row["tool"]): _cell(row) for row in rows}
    table = [["", *tools]]
    names = dict.fromkeys(row["subject"] for row in rows)
    table += [[name, *(cells[name, tool] for tool in tools)] for name in names]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in table]
    return "\n".join(
        [
            "executions/s (steady rate) [executions to the first failure, to the end; - is none, > is not reached]",
            "",
            *lines,
            "",
            *_lines(summary),
        ]
    )


def _cell(row: dict[str, Any]) -> str:
    if row["executions_per_s"] is None:
        return row["trouble"] or "?"
    failure = "-" if row["executions_to_failure"] is None else str(row["executions_to_failure"])
    end = ">" if row["executions_to_exhaust"] is None else str(row["executions_to_exhaust"])
    return f"{row['executions_per_s']:.0f} ({row['steady_executions_per_s']:.0f}) [{failure}, {end}]"


def _lines(summary: dict[str, Any]) -> list[str]:
    lines = ["plait's engine and search are compiled"] if summary.get("compiled") else []
    for name in ("against_frontrun", "against_interleave_test"):
        each = summary[name]
        if each["geometric_mean"] is not None:
            lines.append(
                f"{each['ours']} / {each['peer']}: {each['geometric_mean']:.0f} times as many executions/s, "
                f"steady {each['steady_geometric_mean']:.0f}, per CPU second {each['cpu_geometric_mean']:.0f} "
                f"(geometric means, {each['subjects']} subjects; goal {each['goal']:.0f})"
            )
    longest = summary["longest"]
    rates = ", ".join(f"{tool} {rate:.0f}" for tool, rate in longest["executions_per_cpu_s"].items() if rate)
    goal = f"goal {longest['goal']:.0f}, 20 times Fray's median"
    lines.append(f"{longest['subject']}: {rates} executions per CPU second ({goal})")
    wrong = [
        f"{name} {each['found']} for {each['expected']}"
        for name, each in summary["classes"].items()
        if each["found"] != each["expected"]
    ]
    lines.append(f"classes of schedules: {'all exact' if not wrong else 'WRONG: ' + '; '.join(wrong)}")
    if summary["faults_missed"]:
        lines.append(f"faults not found: {'; '.join(summary['faults_missed'])}")
    memory = summary["memory"]
    if "after_kb" in memory:
        before, after = memory["before_kb"], memory["after_kb"]
        lines.append(f"memory around {memory['executions']} executions: {before} kB before, {after} kB after")
    return lines
