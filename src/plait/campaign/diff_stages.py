"""Stages of `plait diff` that an earlier run has made: of those, only what a change reaches is run again.

As a chunk of tests in `plait check` (`plait.campaign.plan`), a stage follows from what its generator got to know when
it ran calls one after another. It is named by its *trail*, a hash of the generator's first state and of all such
answers since: whoever finds a stage under the trail that he has come by, and gets the same answers where they may have
become others, would have made the same stage, and goes on to the next trail.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from plait.campaign.plan import Numbered
from plait.generate.condiff import Stage, Suffix
from plait.model.test import Call, Test
from plait.observe.footprint import MODES, MODULE_STATE, Footprint, conflict

CALLS, STATE = "calls", "state"  # what was asked about a sequence of calls: how each goes, or what state they leave

Both = tuple[Footprint, Footprint]


class Heard(NamedTuple):
    """What a generator asked about a sequence of calls, and a hash of what it got to know."""

    kind: str
    test: Test
    answer: str


class Row(NamedTuple):
    """A suffix alone behind its prefix: what it touches on either version, and what of that is impacted.

    A ``usable`` one does the same on both versions, a ``runnable`` one can at least be run on both.
    """

    usable: bool
    runnable: bool
    footprints: tuple[Footprint | None, Footprint | None]
    impacts: Both | None


@dataclass(slots=True)
class Ready:
    """A stage whose suffixes were compared alone."""

    stage: Stage
    rows: list[Row]
    left: str = ""  # a hash of the state behind the prefix on either version, see `diff_tasks.left_behind`
    usable: set[int] = field(init=False)
    runnable: set[int] = field(init=False)
    quiet: int = 0  # tests whose calls cannot influence each other
    _alike: list[int] = field(init=False, repr=False)  # rows by what they touch: many do the same
    _known: dict[tuple[int, ...], tuple[bool, bool]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.usable = {number for number, row in enumerate(self.rows) if row.usable}
        self.runnable = {number for number, row in enumerate(self.rows) if row.runnable}
        kinds = Numbered()
        self._alike = [kinds.number((row.footprints, row.impacts)) for row in self.rows]

    def meet(self, chosen: tuple[int, ...]) -> tuple[bool, bool]:
        """Whether an impacted access of one call meets one of another call, and whether any access does at all."""
        alike = tuple([self._alike[number] for number in chosen])
        if alike not in self._known:
            pairs = [(self.rows[one], self.rows[other]) for one, other in itertools.combinations(chosen, 2)]
            self._known[alike] = any(_promising(*each) for each in pairs), any(_interfering(*each) for each in pairs)
        return self._known[alike]


def _interfering(one: Row, other: Row) -> bool:
    return any(conflict(one.footprints[side], other.footprints[side]) for side in (0, 1))


def _promising(one: Row, other: Row) -> bool:
    mine, theirs = one.impacts, other.impacts
    return mine is None or theirs is None or any(
        conflict(mine[side], other.footprints[side]) or conflict(theirs[side], one.footprints[side]) for side in (0, 1)
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnownStage:
    """A stage with what its generator heard, its suffixes, and the state that its prefix leaves (see `Ready`)."""

    stage: Stage
    heard: tuple[Heard, ...]
    rows: tuple[Row, ...]
    left: str = ""

    def tests(self) -> list[Test]:
        """All that was run for it."""
        return [*(each.test for each in self.heard), *(self.stage.test((number,)) for number in range(len(self.rows)))]

    def as_json(self) -> dict[str, Any] | None:
        """Plain data; None if it means nothing to another process."""
        calls, imports, accesses, prints = Numbered(), Numbered(), Numbered(), Numbered()

        def numbered(footprint: Footprint | None) -> int | None:
            if footprint is None:
                return None
            return prints.number(tuple(sorted(accesses.number(each) for each in footprint)))

        rows = [
            [row.usable, row.runnable, *map(numbered, (*row.footprints, *(row.impacts or (None, None))))]
            for row in self.rows
        ]
        if any(root.startswith(MODULE_STATE) for root, _key, _mode in accesses.values):  # by its address
            return None
        return {
            "heard": [
                [kind, imports.number(test.imports), [calls.number(call) for call in test.prefix], answer]
                for kind, test, answer in self.heard
            ],
            "stage": [
                self.stage.number, imports.number(self.stage.imports),
                [calls.number(call) for call in self.stage.prefix],
                [[calls.number(each.call), imports.number(each.imports)] for each in self.stage.suffixes],
                sorted(self.stage.waiting),
                [
                    [imports.number(test.imports), *([calls.number(call) for call in each] for each in
                                                     (test.prefix, *test.suffixes))]
                    for test in self.stage.whole
                ],
            ],
            "rows": rows, "left": self.left, "calls": [call.as_json() for call in calls.values],
            "imports": [list(lines) for lines in imports.values], "accesses": [list(each) for each in accesses.values],
            "footprints": [list(each) for each in prints.values],
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> KnownStage | None:
        """The inverse of `as_json`; None for anything else."""
        try:
            calls = [Call.from_json(call) for call in data["calls"]]
            imports = [tuple(map(str, lines)) for lines in data["imports"]]
            accesses = [(str(root), str(key), MODES.index(mode)) for root, key, mode in data["accesses"]]
            prints = [frozenset(accesses[each] for each in one) for one in data["footprints"]]
            number, lines, prefix, suffixes, waiting, whole = data["stage"]
            stage = Stage(
                int(number), imports[lines], tuple(calls[each] for each in prefix),
                tuple(Suffix(calls[call], imports[own]) for call, own in suffixes), frozenset(map(str, waiting)),
                tuple(_whole(calls, imports[own], *parts) for own, *parts in whole),
            )  # fmt: skip
            heard = tuple(
                Heard(str(kind), Test(imports[lines], tuple(calls[each] for each in prefix), ()), str(answer))
                for kind, lines, prefix, answer in data["heard"]
            )
            rows = tuple(_row(prints, *row) for row in data["rows"])
            left = str(data["left"])
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            return None
        return cls(stage, heard, rows, left) if len(rows) == len(stage.suffixes) else None


def _whole(calls: list[Call], imports: tuple[str, ...], prefix: list[int], *suffixes: list[int]) -> Test:
    threads = tuple(tuple(calls[each] for each in suffix) for suffix in suffixes)
    return Test(imports, tuple(calls[each] for each in prefix), threads)


def _row(
    prints: list[Footprint], usable: object, runnable: object, old: int | None, new: int | None,
    old_impact: int | None, new_impact: int | None,
) -> Row:  # fmt: skip
    footprints = (None if old is None else prints[old], None if new is None else prints[new])
    impacts = None if old_impact is None or new_impact is None else (prints[old_impact], prints[new_impact])
    return Row(bool(usable), bool(runnable), footprints, impacts)
