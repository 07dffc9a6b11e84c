"""``plait bench speedgun``: the ports beside Table 2, known effects, and versions against themselves."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any

from benchmarks.speedgun.catalogue import EFFECTS, PORTS, Pair, same
from plait.commands.perf.command import PerfOptions, compare_speed
from plait.commands.perf.measure import MeasureRules
from plait.judge.performance.verdict import verdict, winner
from plait.run.native.machine import HEAVY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plait.judge.performance.result import Comparison

SAME = 30
SECONDS = 60.0
THRESHOLDS = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3)
_ARROWS = {"regression": "slower", "improvement": "faster", "none": "-", "inconclusive": "?"}


def run(
    runs: int = 1,
    seconds: float = SECONDS,
    progress: Callable[[str], None] = lambda _: None,
    *,
    parts: Iterable[str] = ("ports", "effects", "same"),
    heavy: float = HEAVY,
) -> dict[str, Any]:
    """Each effect ``runs`` times, 30 pairs of equal versions (100 with ten runs), each port with 8 and 64 threads.

    ``heavy`` is how busy the machine may be; with more than the default, verdicts are what they are.
    """
    chosen = set(parts)
    rows: list[dict[str, Any]] = []
    kept: list[tuple[Pair, Comparison]] = []

    def measure(kind: str, pair: Pair, seed: int, **options: Any) -> tuple[dict[str, Any], Comparison]:
        began = time.monotonic()
        found = measured(pair, seed, seconds, heavy, **options)
        row = _row(kind, pair, found, time.monotonic() - began)
        progress(f"{kind} {pair.name}: {found.verdict} (expected: {pair.expected}), {row['seconds']:.0f} s")
        kept.append((pair, found))
        return row, found

    for pair in PORTS if "ports" in chosen else ():
        row, _ = measure("port", pair, 0)
        many = measured(pair, 0, seconds, heavy, threads=64, curve=())
        row |= {"speedup_64": many.speedup, "verdict_64": many.verdict}
        rows.append(row)
    for pair in EFFECTS if "effects" in chosen else ():
        rows += [measure("effect", pair, seed)[0] for seed in range(runs)]
    for number, pair in enumerate(same(SAME if runs < 10 else 100) if "same" in chosen else ()):
        rows.append(measure("same", pair, number, curve=())[0])
    return {"rows": rows, "summary": _summary(rows) | {"thresholds": sweep(kept)}}


def measured(
    pair: Pair, seed: int, seconds: float, heavy: float, *, threads: int = 8, curve: tuple[int, ...] | None = None
) -> Comparison:
    """One comparison. Without a curve, only the verdict is wanted."""
    old, new = pair.folders
    options = PerfOptions(
        pair.subject,
        f"dir:{old}",
        f"dir:{new}",
        project=new,
        budget=seconds,
        seed=seed,
        threads=threads,
        rules=MeasureRules(heavy=heavy),
    )
    if curve is not None:
        options = dataclasses.replace(options, curve=curve)
    return compare_speed(options)


def _row(kind: str, pair: Pair, found: Comparison, seconds: float) -> dict[str, Any]:
    stats = found.as_result().stats
    return {
        "subject": pair.name, "kind": kind, "verdict": found.verdict, "expected": pair.expected,
        "speedup_8": found.speedup, "speedup_64": None, "paper_8": pair.paper_8, "paper_64": pair.paper_64,
        "nature": found.nature, "reason": found.reason, "note": pair.note, "seconds": seconds,
        "others_per_cpu": found.machine.get("others_per_cpu"),
        "wins": [stats["old_wins"], stats["new_wins"], stats["no_winner"], stats["inconclusive"]],
        "curve": [[each.threads, each.old_rate, each.new_rate] for each in found.curve],
    }  # fmt: skip


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in ("port", "effect", "same"):
        some = [row for row in rows if row["kind"] == kind]
        found[kind] = {
            "pairs": len(some),
            "right": sum(row["verdict"] == row["expected"] for row in some),
            "wrong": sum(row["verdict"] not in (row["expected"], "inconclusive") for row in some),
            "inconclusive": sum(row["verdict"] == "inconclusive" for row in some),
        }
    found["longest_s"] = max((row["seconds"] for row in rows), default=0.0)
    return found


def sweep(kept: list[tuple[Pair, Comparison]]) -> list[dict[str, float | None]]:
    """Precision and recall of the reports by threshold (Figure 3), from the times that were measured once."""
    found = []
    for delta in THRESHOLDS:
        said = [(pair.expected, _verdict_at(comparison, delta)) for pair, comparison in kept]
        reported = [(right, got) for right, got in said if got in ("regression", "improvement")]
        true = sum(right == got for right, got in reported)
        wanted = sum(right != "none" for right, _ in said)
        found.append({
            "delta": delta, "precision": true / len(reported) if reported else None,
            "recall": true / wanted if wanted else None,
        })  # fmt: skip
    return found


def _verdict_at(comparison: Comparison, delta: float) -> str:
    series = [each.series(comparison.scope) for each in comparison.conclusive]
    return verdict([winner(each, delta, comparison.confidence) for each in series])


def show(content: dict[str, Any]) -> str:
    """The table."""
    head = f"{'change':30}{'expected':>10}{'verdict':>10}{'8 threads':>11}{'paper':>7}{'64 threads':>12}{'paper':>7}"
    lines = [head, "-" * len(head)]
    lines += [
        f"{row['subject']:30.30}{_ARROWS[row['expected']]:>10}{_ARROWS[row['verdict']]:>10}"
        f"{_number(row['speedup_8']):>11}{_number(row['paper_8']):>7}{_number(row['speedup_64']):>12}{_number(row['paper_64']):>7}"
        for row in content["rows"]
        if row["kind"] != "same"
    ]
    for kind, what in (("port", "ports of the changes"), ("effect", "known effects"), ("same", "equal versions")):
        told = content["summary"][kind]
        if told["pairs"]:
            lines.append(
                f"{what}: {told['right']} of {told['pairs']} right, {told['wrong']} wrong, "
                f"{told['inconclusive']} inconclusive"
            )
    lines.append("threshold: " + ", ".join(
        f"{each['delta']:.1%} precision {_number(each['precision'])} recall {_number(each['recall'])}"
        for each in content["summary"]["thresholds"]
    ))  # fmt: skip
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
