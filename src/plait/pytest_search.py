"""The searches that an existing test can be explored with, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.capp import BOUNDED, Capp
from plait.explore.capp import SEARCHES as ORDERED
from plait.judge.strategies import STRATEGIES, make_strategy

if TYPE_CHECKING:
    from plait.explore.capp_partition import Prioritizer
    from plait.explore.strategy import Strategy

SEARCHES = (*dict.fromkeys((*ORDERED, *STRATEGIES)),)


def make_search(name: str, priority: Prioritizer | None, bound: int | None, seed: int, order: int | None) -> Strategy:
    """A fresh search; the bound is on preemptions, where the search has one, ``order`` a seed for a random order."""
    if name in ORDERED:
        return Capp(name, priority, bound=bound if name in BOUNDED else None, seed=order)
    return make_strategy(name, seed, priority)
