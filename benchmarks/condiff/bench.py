"""ConDiff's evaluation: 24 scenarios, with the filter and without it (BASELINE), beside the paper's tables.

Both modes generate the same tests in the same order for a seed; they end at the first test that reveals the difference.
The time to the difference (DRT) counts from the moment when both versions are loaded.
"""

import statistics
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.condiff.scenarios import SHARES, SUBJECTS, make_scenario
from benchmarks.condiff.table import PAPER, PAPER_MEAN_FASTER, PAPER_MEAN_FEWER_BC
from plait.commands.diff.campaign import DiffCampaign
from plait.commands.diff.options import DiffOptions
from plait.commands.diff.sides import open_sides
from plait.subject.name import Subject
from plait.subject.versions.version import Version

RUNS = 10
SECONDS = 60.0


def run(
    runs: int = RUNS,
    seconds: float = SECONDS,
    progress: Callable[[str], None] = lambda _line: None,
    scenarios: Iterable[tuple[str, str]] | None = None,
    baseline: bool = True,
):
    """Measure seeds 1 to ``runs`` of every scenario, ``seconds`` for each comparison."""
    wanted = list(scenarios) if scenarios is not None else list(PAPER)
    rows = []
    for number, scenario in wanted:
        row = measure(number, scenario, range(1, runs + 1), seconds, baseline=baseline)
        rows.append(row)
        progress(line(row))
    return {"rows": rows, "summary": summary(rows)}


def measure(number: str, scenario: str, seeds: Iterable[int], seconds: float, *, baseline: bool = True):
    """One scenario over the seeds."""
    chosen = next(each for each in SUBJECTS if each.number == number)
    subject = Subject(chosen.module, chosen.class_name)
    found: dict[str, list[dict]] = {"condiff": [], "baseline": []}
    with tempfile.TemporaryDirectory(prefix="plait-condiff-") as folder:
        old, new = (path.parent for path in make_scenario(number, scenario, Path(folder)))
        versions = Version("old", old, "folder"), Version("new", new, "folder")
        with open_sides(subject, *versions, workers=2) as sides:
            for seed in seeds:
                for mode in ("condiff", "baseline") if baseline else ("condiff",):
                    options = DiffOptions(
                        subject, seed=seed, budget=seconds, filter=mode == "condiff", explain=False, reproduce=False
                    )
                    result = DiffCampaign(sides, options, *versions).run()
                    found[mode].append(_figures(result, seconds))
    return {"subject": number, "scenario": scenario, **_row(found), "paper": PAPER[number, scenario]._asdict()}


def _figures(result, seconds):
    stats = result.stats
    revealed = result.verdict == "difference"
    return {
        "found": revealed, "drt": stats["difference_revealing_s"] if revealed else seconds,
        "ct": stats["tests_generated"], "bc": stats["checks"], "changed": stats["changed_methods"],
        "pairs": stats["changed_pairs"], "inconclusive": stats["inconclusive"], "revealing": result.more["revealing"],
        "kept": result.more["filter_keeps"],
        "generate": stats["generate_s"], "filter": stats["filter_s"], "check": stats["check_s"],
    }  # fmt: skip


def _row(found):
    ours, base = found["condiff"], found["baseline"]
    work = sum(each["generate"] + each["filter"] + each["check"] for each in ours) or 1.0
    row = {
        "changed_methods": ours[0]["changed"], "changed_pairs": ours[0]["pairs"], "seeds": len(ours),
        "sr": _rate(ours), "ct": _mean(ours, "ct"), "ct_min": min(each["ct"] for each in ours),
        "ct_max": max(each["ct"] for each in ours), "bc": _mean(ours, "bc"), "bc_max": max(each["bc"] for each in ours),
        "drt_s": _mean(ours, "drt", 3), "drt_max_s": max(each["drt"] for each in ours),
        "inconclusive": _mean(ours, "inconclusive"),
        "generate_share": round(sum(each["generate"] for each in ours) / work, 3),
        "filter_share": round(sum(each["filter"] for each in ours) / work, 3),
        "check_share": round(sum(each["check"] for each in ours) / work, 3),
    }  # fmt: skip
    if base:
        both = [(mine, theirs) for mine, theirs in zip(ours, base, strict=True) if mine["found"] and theirs["found"]]
        row |= {
            "baseline_sr": _rate(base), "baseline_bc": _mean(base, "bc"), "baseline_drt_s": _mean(base, "drt", 3),
            "fewer_bc": round(_mean(base, "bc") / max(_mean(ours, "bc"), 1e-9), 2),
            "faster": round(_mean(base, "drt", 3) / max(_mean(ours, "drt", 3), 1e-9), 2),
            "same_test": sum(mine["revealing"] == theirs["revealing"] for mine, theirs in both),
            "both_found": len(both), "baseline_found": sum(each["found"] for each in base),
            "kept_by_filter": sum(each["kept"] is True for each in base),
        }  # fmt: skip
    return row


def _rate(figures):
    return round(100 * sum(each["found"] for each in figures) / len(figures))


def _mean(figures, name, digits=2):
    return round(statistics.fmean(each[name] for each in figures), digits)


def summary(rows):
    """Means over the scenarios, beside the paper's."""
    figures = {
        "scenarios": len(rows), "always_found": sum(row["sr"] == 100 for row in rows), "paper_always_found": 21,
        "slowest_drt_s": max(row["drt_max_s"] for row in rows),
    }  # fmt: skip
    if all("baseline_bc" in row for row in rows):
        figures |= {
            "mean_fewer_bc": round(statistics.fmean(row["fewer_bc"] for row in rows), 2),
            "paper_mean_fewer_bc": PAPER_MEAN_FEWER_BC,
            "mean_faster": round(statistics.fmean(row["faster"] for row in rows), 2),
            "paper_mean_faster": PAPER_MEAN_FASTER,
            "same_tests": f"{sum(row['same_test'] for row in rows)} of {sum(row['both_found'] for row in rows)}",
            "revealing_tests_that_the_filter_keeps":
                f"{sum(row['kept_by_filter'] for row in rows)} of {sum(row['baseline_found'] for row in rows)}",
        }  # fmt: skip
    by_subject: dict[str, dict[str, float]] = {}
    for row in rows:
        by_subject.setdefault(row["subject"], {})[row["scenario"]] = row["bc"]
    figures["bc_growth"] = {
        name: round(each["BR100"] / max(each["B"], 1e-9), 2) for name, each in by_subject.items()
        if set(SHARES) <= each.keys()
    }  # fmt: skip
    return figures


_COLUMNS = (
    ("", "subject"), ("", "scenario"), ("chg", "changed_methods"), ("pairs", "changed_pairs"), ("SR %", "sr"),
    ("#CT", "ct"), ("#BC", "bc"), ("DRT s", "drt_s"), ("max", "drt_max_s"), ("base SR", "baseline_sr"),
    ("base #BC", "baseline_bc"), ("base DRT", "baseline_drt_s"), ("fewer", "fewer_bc"), ("faster", "faster"),
    ("gen", "generate_share"), ("filter", "filter_share"), ("check", "check_share"),
)  # fmt: skip
_PAPER_COLUMNS = ("sr", "ct", "bc", "drt_s", "fewer_bc", "faster")


def line(row):
    """One scenario as text."""
    cells = [f"{row.get(key, '-')!s:>9}" for _title, key in _COLUMNS]
    paper = " ".join(f"{row['paper'][key]!s:>6}" for key in _PAPER_COLUMNS)
    return f"{' '.join(cells)}  | {paper}"


def show(result):
    """The table as text, the paper's figures at the right."""
    titles = " ".join(f"{title or key:>9}" for title, key in _COLUMNS)
    paper = " ".join(f"{key.removesuffix('_s'):>6.6}" for key in _PAPER_COLUMNS)
    facts = "\n".join(f"{name}: {value}" for name, value in result["summary"].items())
    return "\n".join([f"{titles}  | {paper} (paper)", *map(line, result["rows"]), "", facts])
