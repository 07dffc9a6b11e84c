"""Decides whether an execution of a structure is right: some order of the calls must explain it to the model.

A call that was over before another one began comes before it. An exception, a deadlock or an endless loop is never
right. Tests begin with an empty structure: their prefix is a constructor call.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.atg.specifications import MODELS
from plait.explore.active.laboratory import ActiveLaboratory
from plait.observe.iroots import sight
from plait.observe.places import PLACES
from plait.run.engine import ENGINE, FINISHED_RUN

if TYPE_CHECKING:
    from plait.explore.strategy import Strategy
    from plait.model.test import Call, Test
    from plait.observe.iroots import Sighting
    from plait.run.testbed import Done, Testbed


class Wrong(Exception):
    """An execution that no order explains."""


class JudgingLaboratory(ActiveLaboratory):
    """Raises `Wrong` at the first execution that is not right."""

    def __init__(self, model: str, *, seed: int = 0, native: bool = False) -> None:
        super().__init__(PLACES, seed=seed, native=native)
        self._model = MODELS[model]

    def run(self, test: Test, bed: Testbed, strategy: Strategy, predict: bool) -> Sighting | None:
        sightings: list[Sighting] = []
        troubles: list[str | None] = []

        def finish() -> None:
            sightings.append(sight(ENGINE, bed, predict=predict))
            troubles.append(trouble(bed, self._model))

        self.executions += 1
        ENGINE.execute(bed.prepare, strategy.next_prefix() or (), strategy, free=strategy.free, finish=finish)
        strategy.executed(ENGINE)
        if troubles[0] is not None:
            raise Wrong(troubles[0])
        return sightings[0]


def trouble(bed: Testbed, model: Any) -> str | None:
    """What is wrong with the execution that has just ended; None if nothing is."""
    if ENGINE.status != FINISHED_RUN:
        return ENGINE.status
    for done in bed.done:
        if done.error is not None:
            return f"{type(done.error).__name__} in {_call(bed, done).source}"
    structure = bed.values["x"]
    threads: dict[int, list[_Made]] = {}
    bound: dict[tuple[int, str | None], Any] = {}
    for done in sorted(bed.done, key=lambda each: each.index):
        call = _call(bed, done)
        arguments = tuple(bound[done.thread, text] if (done.thread, text) in bound else int(text) for text in call.args)
        bound[done.thread, call.result] = done.value
        threads.setdefault(done.thread, []).append(_Made(call.method, arguments, done.value, *_span(done)))
    if _explained(list(threads.values()), model(structure), model.contents(structure)):
        return None
    return "no order of the calls explains the results and what is left"


class _Made(NamedTuple):
    """A call as it went."""

    method: str
    arguments: tuple[Any, ...]
    result: Any
    begin: int  # positions in the trace; a call without accesses can have been at any time
    end: int


def _call(bed: Testbed, done: Done) -> Call:
    return bed.test.suffixes[done.thread - 1][done.index]


def _span(done: Done) -> tuple[int, int]:
    """From the call's first access to its last: before and behind them it does nothing that others could see."""
    own = [number for number in range(done.start, done.end) if ENGINE.trace[number][0] == done.thread]
    return (own[0], own[-1]) if own else (-1, len(ENGINE.trace))


def _explained(threads: list[list[_Made]], model: Any, left: object) -> bool:
    """Depth first over the orders, as far as the results agree."""
    if not any(threads):
        return model.held() == left
    for number, calls in enumerate(threads):
        if not calls:
            continue
        made = calls[0]
        if any(other[0].end < made.begin for index, other in enumerate(threads) if index != number and other):
            continue
        after = copy.deepcopy(model)
        if getattr(after, made.method)(*made.arguments) == made.result:
            rest = [calls[1:] if index == number else other for index, other in enumerate(threads)]
            if _explained(rest, after, left):
                return True
    return False
