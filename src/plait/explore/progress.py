"""How much of a search is done, before it is done.

A depth-first search stands on a path of its tree. If each branch of a node weighs the same, the part of the tree to the
left of the path is known exactly, however long the branches still to come: its weight is the fraction explored. For a
search with reduction the branches of a node may still grow in number, so the fraction is an upper bound.

`estimate_schedules` is the other way: random paths through the tree of all schedules, whose products of branchings
have the number of schedules as their mean (Knuth 1975).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.explore.random_walk import RandomWalk
from plait.explore.runner import execute
from plait.run.engine import ENGINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def fraction(path: Iterable[tuple[int, int]]) -> float:
    """Return the explored fraction of a tree.

    ``path`` has, from the root on, how many branches were entered and there are.
    """
    weight, explored = 1.0, 0.0
    for entered, branches in path:
        if branches > 1:
            weight /= branches
            explored += weight * (entered - 1)
    return explored + weight


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many schedules there are, as far as some random ones tell."""

    probes: int
    mean: float
    largest: float


def estimate_schedules(
    prepare: Callable[[], Sequence[Callable[[], object]]], probes: int = 30, seed: int = 0
) -> Estimate:
    """Estimate the number of schedules (without any reduction) with a few executions at random."""
    walk = RandomWalk(seed)
    products = []
    for _ in range(probes):
        execute(prepare, (), walk)
        product = 1.0
        for _thread, _loc, _mode, _site, enabled, _after in ENGINE.trace:
            if enabled:
                product *= len(enabled)
        products.append(product)
    return Estimate(probes, sum(products) / probes, max(products))
