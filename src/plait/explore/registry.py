"""The searches by name. Some of them can explore impacted code points first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.explore.capp.dpor import CappDpor
from plait.explore.capp.pos import CappPos
from plait.explore.capp.search import BOUNDED, Capp
from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.explore.icb import Icb
from plait.explore.pct import Pct
from plait.explore.period import Period
from plait.explore.portfolio import Portfolio
from plait.explore.pos import Pos
from plait.explore.random_walk import RandomWalk
from plait.explore.rff import Rff
from plait.explore.stateful import Stateful
from plait.explore.surw import Surw
from plait.model.choices import ORDERED

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.explore.capp.partition import Prioritizer
    from plait.explore.strategy import Strategy

STRATEGIES: dict[str, Callable[[int], Strategy]] = {
    "auto": Portfolio,
    "dpor": lambda _seed: Dpor(),
    "dfs": lambda _seed: Dfs(),
    "icb": lambda _seed: Icb(),
    "stateful": lambda _seed: Stateful(),
    "pos": Pos,
    "pct": lambda seed: Pct(seed=seed),
    "surw": Surw,
    "rff": Rff,
    "period": Period,
    "random": RandomWalk,
}


_AIMED: dict[str, Callable[[Prioritizer, int], Strategy]] = {
    "dpor": lambda priority, _seed: CappDpor(priority),
    "dfs": lambda priority, _seed: Capp("dfs", priority),
    "icb": lambda priority, _seed: Capp("icb", priority),
    "stateful": lambda priority, _seed: Capp("stateful", priority),
    "pos": CappPos,
}
AIMED = tuple(_AIMED)  # the searches that a heuristic can direct


def make_strategy(name: str, seed: int, priority: Prioritizer | None = None) -> Strategy:
    """Return a new strategy; with ``priority``, and if it is one of `AIMED`, it explores impacted code first."""
    if priority is not None and name in _AIMED:
        return _AIMED[name](priority, seed)
    return STRATEGIES[name](seed)


def make_search(name: str, priority: Prioritizer | None, bound: int | None, seed: int, order: int | None) -> Strategy:
    """Return a search for an existing test.

    ``bound`` limits preemptions, if the search supports that; ``order`` seeds a random order of alternatives.
    """
    if name == "auto" and priority is not None:
        return Portfolio(seed, Capp("delay", priority, bound=bound, seed=order))
    if name in ORDERED:
        return Capp(name, priority, bound=bound if name in BOUNDED else None, seed=order)
    return make_strategy(name, seed, priority)
