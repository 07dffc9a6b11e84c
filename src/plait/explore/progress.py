"""Estimates of how much of a search is done, and of how many schedules there are.

The current position of a depth-first search is a path in its tree. If all branches of a node have the same weight, the
weight of the tree to the left of the path is known exactly, however long the remaining branches are: it is the explored
fraction. In a search with reduction a node may still get more branches, so there the fraction is an upper bound.

`estimate_schedules` follows random paths through the tree of all schedules. The product of the branching factors along
a random path has the number of schedules as its mean (Knuth 1975).
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

    ``path`` lists, from the root on, how many branches of each node were entered and how many it has.
    """
    weight, explored = 1.0, 0.0
    for entered, branches in path:
        if branches > 1:
            weight /= branches
            explored += weight * (entered - 1)
    return explored + weight


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated number of schedules, with the number of random executions it is based on."""

    probes: int
    mean: float
    largest: float


def estimate_schedules(
    prepare: Callable[[], Sequence[Callable[[], object]]], probes: int = 30, seed: int = 0
) -> Estimate:
    """Estimate the number of schedules (without any reduction) from a few random executions."""
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
