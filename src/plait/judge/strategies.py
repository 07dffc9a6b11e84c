"""The search orders that a hand-written test can ask for, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.explore.icb import Icb
from plait.explore.pct import Pct
from plait.explore.pos import Pos
from plait.explore.random_walk import RandomWalk
from plait.explore.stateful import Stateful
from plait.explore.surw import Surw

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.explore.strategy import Strategy

STRATEGIES: dict[str, Callable[[int], Strategy]] = {
    "dpor": lambda _seed: Dpor(),
    "dfs": lambda _seed: Dfs(),
    "icb": lambda _seed: Icb(),
    "stateful": lambda _seed: Stateful(),
    "pos": Pos,
    "pct": lambda seed: Pct(seed=seed),
    "surw": Surw,
    "random": RandomWalk,
}


def make_strategy(name: str, seed: int) -> Strategy:
    """A fresh strategy."""
    return STRATEGIES[name](seed)
