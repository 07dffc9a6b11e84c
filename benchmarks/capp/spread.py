"""Costs in random orders: quartiles, box plots, and how a heuristic compares with BASIC (CAPP, Tables 4 to 7)."""

from __future__ import annotations

from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BASIC = "BASIC"


def add_random(rows: Sequence[dict[str, Any]], costs: Mapping[tuple[str, str], list[int]]) -> None:
    """Give the rows of one fault the spread of their costs; these go by search and heuristic."""
    for row in rows:
        if (row["search"], BASIC) not in costs:
            continue
        mine, basic = costs[row["search"], row["heuristic"]], costs[row["search"], BASIC]
        low, middle, high = quantiles(mine, n=4) if len(mine) > 1 else (mine[0],) * 3
        row["random"] = {"least": min(mine), "quartiles": [low, middle, high], "most": max(mine), "costs": mine}
        if row["heuristic"] != BASIC:
            row["random"].update(_compared(basic, mine))


def pooled(rows: Sequence[dict[str, Any]], heuristics: Sequence[str]) -> dict[str, dict[str, float]]:
    """Each heuristic against BASIC over all faults of one search; a cost counts in medians of its fault's BASIC.

    This is how the paper scales its box plots; nothing if there were no random orders.
    """
    spread = {(row["subject"], row["heuristic"]): row["random"]["costs"] for row in rows if "random" in row}
    subjects = [subject for subject, heuristic in spread if heuristic == BASIC]

    def scaled(heuristic: str) -> list[float]:
        return [
            cost / (median(spread[subject, BASIC]) or 1) for subject in subjects for cost in spread[subject, heuristic]
        ]

    return {heuristic: _compared(scaled(BASIC), scaled(heuristic)) for heuristic in heuristics if subjects}


def _compared(basic: Sequence[float], other: Sequence[float]) -> dict[str, float]:
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - only for the second experiment

    return {"p": float(mannwhitneyu(other, basic).pvalue), "a12": a12(basic, other)}


def a12(first: Sequence[float], second: Sequence[float]) -> float:
    """How often a value of the first sample is larger than one of the second; ties count half (Vargha and Delaney)."""
    wins = sum((a > b) + 0.5 * (a == b) for a in first for b in second)
    return wins / (len(first) * len(second))


def boxes(cells: Mapping[str, dict[str, Any]]) -> list[str]:
    """The random orders as box plots in characters, 100 being the median of BASIC."""
    if "random" not in cells[BASIC]:
        return []
    middle = cells[BASIC]["random"]["quartiles"][1] or 1
    lines = []
    for name, cell in cells.items():
        spread = cell["random"]
        low, mid, high = (min(60, round(30 * value / middle)) for value in spread["quartiles"])
        first, last = (min(60, round(30 * spread[end] / middle)) for end in ("least", "most"))
        plot = "".join(
            "|" if at == mid else "=" if low <= at <= high else "-" if first <= at <= last else " " for at in range(61)
        )
        effect = f" A12 {spread['a12']:.2f} p {spread['p']:.4f}" if "a12" in spread else ""
        lines.append(f"    {name:6}{plot}{effect}")
    return lines
