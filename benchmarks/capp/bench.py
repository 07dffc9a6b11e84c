"""What finding the fifteen faults costs with no heuristic and with fourteen, in several searches, beside the paper.

Costs are schedules for searches that execute again (``icb`` as in the paper's Table 3, ``delay``, ``dpor``) and
transitions for the one that knows states (``stateful``, Table 2). With more than one run, every search is also made in
as many random orders, and each heuristic is compared with BASIC as in Tables 4-7 (Mann-Whitney U, A12, quartiles).
A search may take some seconds of processor time. One that has found nothing by then counts with what it had paid: a
speed-up is at least (``>``) that if it is BASIC, at most (``<``) that if it is the heuristic; where neither has found
the fault there is no speed-up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.capp.spread import add_random, boxes, pooled
from benchmarks.capp.table import FAULTS, HEURISTICS, JPF_MEANS, JPF_RANDOM, REEX_MEANS, REEX_RANDOM, Fault
from plait.model.choices import DEFAULT_HEURISTIC

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
SEARCHES = ("icb", "delay", "stateful", "dpor")
BASIC = "BASIC"
BUSY = 30  # times its processor time a search may take where others keep the machine busy
LIMIT = 1_000_000
PAPER = {"icb": ("reex", REEX_MEANS), "stateful": ("jpf", JPF_MEANS)}
PAPER_RANDOM = {"icb": REEX_RANDOM, "stateful": JPF_RANDOM}
NOT_RUN = {"icb": "not run by ReEx: reactive, a schedule may not end", "stateful": "not run by JPF: networking"}


def run(
    *,
    runs: int = 1,
    seconds: float = 8.0,
    progress: Callable[[str], None] = print,
    searches: Sequence[str] = SEARCHES,
    faults: Sequence[Fault] = FAULTS,
) -> dict[str, Any]:
    """Measure; ``seconds`` is what one search may take, ``runs`` the number of random orders if it is more than one."""
    rows: list[dict[str, Any]] = []
    for number, fault in enumerate(faults, 1):
        progress(f"{number} of {len(faults)}: {fault.name}")
        rows += _rows(fault, _measured(fault, searches, [None], seconds))
        if runs > 1:
            shuffled = [search for search in searches if search != "dpor"]  # its order is not free
            add_random([row for row in rows if row["subject"] == fault.name], _costs(
                _measured(fault, shuffled, list(range(runs)), seconds)
            ))  # fmt: skip
    return {"rows": rows, "summary": {"runs": runs, "seconds": seconds, **_summary(rows, searches)}}


def _measured(fault: Fault, searches: Sequence[str], seeds: list[int | None], seconds: float) -> list[dict[str, Any]]:
    """Each fault in a process of its own, which has to be killed if it does not end."""
    order = {
        "searches": list(searches), "heuristics": [BASIC, *HEURISTICS], "seeds": seeds, "limit": LIMIT,
        "seconds": seconds,
    }  # fmt: skip
    most = BUSY * (len(searches) * (len(HEURISTICS) + 1) * len(seeds) * (seconds + 5) + 60)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.capp.measure", fault.folder, json.dumps(order)],
        cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True, text=True, timeout=most, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no output"]
        raise RuntimeError(f"{fault.name}: {last[0]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _price(measured: dict[str, Any]) -> int:
    """Transitions where states are known, else schedules."""
    return int(measured["transitions" if measured["search"].startswith("stateful") else "schedules"])


def _costs(measured: list[dict[str, Any]]) -> dict[tuple[str, str], list[int]]:
    costs: dict[tuple[str, str], list[int]] = {}
    for each in measured:
        costs.setdefault((each["search"], each["heuristic"]), []).append(_price(each))
    return costs


def _rows(fault: Fault, measured: list[dict[str, Any]]) -> list[dict[str, Any]]:
    basic = {each["search"]: each for each in measured if each["heuristic"] == BASIC}
    rows = []
    for each in measured:
        row: dict[str, Any] = {
            "subject": fault.name, "search": each["search"], "heuristic": each["heuristic"], "cost": _price(each),
            "found": each["found"], "kind": each["kind"], "expected": fault.error, "points": each["points"],
            "speedup": _speedup(basic[each["search"]], each), "bound": _bound(basic[each["search"]], each),
            "seconds": each["seconds"],
        }  # fmt: skip
        column = PAPER.get(each["search"])
        paper = None if column is None else getattr(fault, column[0])
        if paper is not None and each["heuristic"] == BASIC:
            row["paper_cost"] = paper.basic
        elif paper is not None:
            row["paper_speedup"] = paper.speedup(each["heuristic"])
        elif column is not None:
            row["paper"] = NOT_RUN[each["search"]]
        rows.append(row)
    return rows


def _speedup(basic: dict[str, Any], other: dict[str, Any]) -> float | None:
    """None if neither has found the fault; see `_bound`."""
    return round(_price(basic) / max(_price(other), 1), 3) if basic["found"] or other["found"] else None


def _bound(basic: dict[str, Any], other: dict[str, Any]) -> str:
    """How the speed-up that was measured limits the real one."""
    return "" if basic["found"] == other["found"] else "<" if basic["found"] else ">"


def _mean(values: Sequence[float]) -> float | None:
    return round(exp(sum(map(log, values)) / len(values)), 2) if values else None


def _summary(rows: list[dict[str, Any]], searches: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for search in searches:
        mine = [row for row in rows if row["search"] == search]
        means = {
            heuristic: _mean([row["speedup"] for row in mine if row["heuristic"] == heuristic and row["speedup"]])
            for heuristic in HEURISTICS
        }
        known = {heuristic: mean for heuristic, mean in means.items() if mean is not None}
        best = max(known, key=lambda heuristic: known[heuristic], default=None)
        found[search] = {
            "geometric_means": means, "best": best,
            "detected": {
                name: sum(row["found"] for row in mine if row["heuristic"] == name) for name in (BASIC, *HEURISTICS)
            },
            "some_beats_all": [
                match for match in dict.fromkeys(name[:-1] for name in HEURISTICS)
                if (means[f"{match}A"] or 0) < (means[f"{match}S"] or 0)
            ],
            "random": pooled(mine, HEURISTICS),
            "paper_means": dict(zip(HEURISTICS, PAPER[search][1], strict=True)) if search in PAPER else None,
        }  # fmt: skip
    return found


def show(result: dict[str, Any]) -> str:
    """One table per search: the cost of BASIC, then speed-ups; the paper's figures below ours."""
    lines: list[str] = []
    searches = list(dict.fromkeys(row["search"] for row in result["rows"]))
    for search in searches:
        rows = [row for row in result["rows"] if row["search"] == search]
        lines += [f"{search}: cost of BASIC, then how many times cheaper (>: at least, <: at most)", _head()]
        for subject in dict.fromkeys(row["subject"] for row in rows):
            cells = {row["heuristic"]: row for row in rows if row["subject"] == subject}
            basic = cells[BASIC]
            mark = "" if basic["found"] else ">"
            figures = "".join(f"{_figure(cells[name]['speedup'], cells[name]['bound']):>8}" for name in HEURISTICS)
            lines.append(f"{subject:16}{mark + str(basic['cost']):>9}{figures}")
            if "paper_cost" in basic:
                theirs = "".join(f"{cells[name]['paper_speedup']:>8}" for name in HEURISTICS)
                lines.append(f"{'  paper':16}{basic['paper_cost']:>9}{theirs}")
            lines += boxes(cells)
        summary = result["summary"][search]
        means = "".join(f"{_figure(summary['geometric_means'][name], ''):>8}" for name in HEURISTICS)
        lines.append(f"{'geometric mean':25}{means}")
        if summary["paper_means"]:
            lines.append(f"{'  paper':25}" + "".join(f"{summary['paper_means'][name]:>8}" for name in HEURISTICS))
        lines += _orders(search, summary["random"])
        subjects = len({row["subject"] for row in rows})
        missing = [f"{name} {count}" for name, count in summary["detected"].items() if count < subjects]
        lines.append(f"best: {summary['best']}; SOME beats ALL for: {', '.join(summary['some_beats_all']) or 'none'}")
        lines += [f"of {subjects} faults found in time: {', '.join(missing) or 'all, by all'}", ""]
    return "\n".join([*lines, *_together(result["rows"], searches)])


def _orders(search: str, found: dict[str, dict[str, float]]) -> list[str]:
    """Random orders of all faults together: effect size and p-value, the paper's (Tables 6 and 7) below ours."""
    lines = []
    for kind, place in (("a12", 1), ("p", 0)) if found else ():
        name = {"a12": "random orders, A12", "p": "random orders, p"}[kind]
        lines.append(f"{name:25}" + "".join(f"{found[heuristic][kind]:>8.4f}" for heuristic in HEURISTICS))
        if search in PAPER_RANDOM:
            lines.append(f"{'  paper':25}" + "".join(f"{value:>8.4f}" for value in PAPER_RANDOM[search][place]))
    return lines


def _together(rows: list[dict[str, Any]], searches: Sequence[str]) -> list[str]:
    """What every search pays alone and with the default heuristic, the reduction among them."""
    costs = {(row["subject"], row["search"], row["heuristic"]): row for row in rows}
    columns = [(search, heuristic) for search in searches for heuristic in (BASIC, DEFAULT_HEURISTIC)]
    heads = [search if heuristic == BASIC else f"+{heuristic}" for search, heuristic in columns]
    lines = [f"all searches, alone and with {DEFAULT_HEURISTIC} (stateful: transitions, else schedules)"]
    lines.append(f"{'':16}" + "".join(f"{head:>10}" for head in heads))
    for subject in dict.fromkeys(row["subject"] for row in rows):
        cells = [costs[subject, search, heuristic] for search, heuristic in columns]
        figures = ["" if cell["found"] else ">" for cell in cells]
        lines.append(f"{subject:16}" + "".join(
            f"{mark + str(cell['cost']):>10}" for mark, cell in zip(figures, cells, strict=True)
        ))  # fmt: skip
    return lines


def _head() -> str:
    return f"{'':16}{BASIC:>9}" + "".join(f"{name:>8}" for name in HEURISTICS)


def _figure(value: float | None, mark: str) -> str:
    return "-" if value is None else f"{mark}{value:.1f}"
