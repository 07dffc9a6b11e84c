"""Stages of `plait diff` that an earlier run has recorded: only the parts that a change reaches are run again.

`plait.store.recording` explains recordings. A stage records more than tests: what each suffix, run alone, touched on
each version, and the state that the prefix leaves.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from plait.commands.diff.explored_sides import ExploredSide
from plait.commands.diff.options import DiffOptions
from plait.generate.condiff import Stage, Suffix
from plait.judge.difference.outcome import View
from plait.model.test import Test
from plait.observe.footprint import (
    MODES,
    MODULE_STATE,
    Footprint,
    footprints_conflict,
)
from plait.store.keys import (
    Changed,
    Fingerprints,
    files_key,
    parts_of,
    unit_key,
)
from plait.store.project import Memory
from plait.store.recording import (
    BROKEN,
    Asked,
    Numbered,
    Packer,
    Unpacker,
    next_position,
    reached_by,
    recording_key,
)
from plait.subject.changes.change import Side
from plait.subject.versions.version import Version

Both = tuple[Footprint, Footprint]

_BY_ADDRESS = re.compile(rf"{MODULE_STATE} \d")  # state of modules that has no name


class Row(NamedTuple):
    """One suffix run alone after its prefix: what it touches on each version, and which of these accesses are impacted.

    A ``usable`` suffix behaves the same on both versions; a ``runnable`` one can be run on both.
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
    left: str = ""  # a hash of the state after the prefix on each version, see `worker.state_after_prefix`
    usable: set[int] = field(init=False)
    runnable: set[int] = field(init=False)
    quiet: int = 0  # tests whose calls cannot influence each other
    _alike: list[int] = field(init=False, repr=False)  # rows numbered by what they touch, because many touch the same
    _known: dict[tuple[int, ...], tuple[bool, bool]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.usable = {number for number, row in enumerate(self.rows) if row.usable}
        self.runnable = {number for number, row in enumerate(self.rows) if row.runnable}
        kinds = Numbered()
        self._alike = [kinds.number((row.footprints, row.impacts)) for row in self.rows]

    def meet(self, chosen: tuple[int, ...]) -> tuple[bool, bool]:
        """Return whether impacted accesses of the chosen suffixes conflict, and whether any of their accesses do."""
        alike = tuple([self._alike[number] for number in chosen])
        if alike not in self._known:
            pairs = [(self.rows[one], self.rows[other]) for one, other in itertools.combinations(chosen, 2)]
            self._known[alike] = any(_promising(*each) for each in pairs), any(_interfering(*each) for each in pairs)
        return self._known[alike]


def _interfering(one: Row, other: Row) -> bool:
    return any(footprints_conflict(one.footprints[side], other.footprints[side]) for side in (0, 1))


def _promising(one: Row, other: Row) -> bool:
    mine, theirs = one.impacts, other.impacts
    return mine is None or theirs is None or any(
        footprints_conflict(mine[side], other.footprints[side]) or footprints_conflict(theirs[side],
        one.footprints[side]) for side in (0, 1)
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecordedStage:
    """A stage, what its generator ``asked``, its suffixes, and the state that its prefix leaves (see `Ready`)."""

    stage: Stage
    asked: tuple[Asked, ...]
    rows: tuple[Row, ...]
    left: str = ""

    def tests(self) -> list[Test]:
        """Return everything that was run for the stage."""
        return [*(each.test for each in self.asked), *(self.stage.test((number,)) for number in range(len(self.rows)))]

    def as_json(self) -> dict[str, Any] | None:
        """Return plain data; None if it would have no meaning in another process."""
        packer, accesses, prints = Packer(), Numbered(), Numbered()

        def numbered(footprint: Footprint | None) -> int | None:
            if footprint is None:
                return None
            return prints.number(tuple(sorted(accesses.number(each) for each in footprint)))

        rows = [
            [row.usable, row.runnable, *map(numbered, (*row.footprints, *(row.impacts or (None, None))))]
            for row in self.rows
        ]
        if any(_BY_ADDRESS.match(root) for root, _key, _mode in accesses.values):
            return None
        stage = self.stage
        packed = [
            stage.number, packer.imports(stage.imports), [packer.call(call) for call in stage.prefix],
            [[packer.call(each.call), packer.imports(each.imports)] for each in stage.suffixes], sorted(stage.waiting),
            [packer.test(test) for test in stage.whole],
        ]  # fmt: skip
        return {
            "asked": [packer.asked(each) for each in self.asked], "stage": packed, "rows": rows, "left": self.left,
            "accesses": [list(each) for each in accesses.values], "footprints": [list(each) for each in prints.values],
            **packer.as_json(),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RecordedStage | None:
        """Return the inverse of `as_json`; None for malformed data."""
        try:
            unpacker = Unpacker(data)
            calls, imports = unpacker.calls, unpacker.imports
            accesses = [(str(root), str(key), MODES.index(mode)) for root, key, mode in data["accesses"]]
            prints = [frozenset(accesses[each] for each in one) for one in data["footprints"]]
            number, lines, prefix, suffixes, waiting, whole = data["stage"]
            stage = Stage(
                int(number), imports[lines], tuple(calls[each] for each in prefix),
                tuple(Suffix(calls[call], imports[own]) for call, own in suffixes), frozenset(map(str, waiting)),
                tuple(unpacker.test(*row) for row in whole),
            )  # fmt: skip
            asked = tuple(unpacker.asked(*row) for row in data["asked"])
            rows = tuple(_row(prints, *row) for row in data["rows"])
            left = str(data["left"])
        except BROKEN:
            return None
        return cls(stage, asked, rows, left) if len(rows) == len(stage.suffixes) else None


def _row(
    prints: list[Footprint], usable: object, runnable: object, old: int | None, new: int | None,
    old_impact: int | None, new_impact: int | None,
) -> Row:  # fmt: skip
    footprints = (None if old is None else prints[old], None if new is None else prints[new])
    impacts = None if old_impact is None or new_impact is None else (prints[old_impact], prints[new_impact])
    return Row(bool(usable), bool(runnable), footprints, impacts)


# -- comparisons -------------------------------------------------------------------------------------------------------
# Tests that an earlier `plait diff` has compared without a difference, and the stages they came from.
#
# A test is known if it was compared in the same way, and nothing that it can reach has changed on either version.
# Whether it passed the filter follows from its traces, and so from the same code.


class Compared(NamedTuple):
    """The result of a test: filtered, because it cannot differ, or explored; ``repeated`` if its traces were known."""

    filtered: bool = False
    repeated: bool = False
    inconclusive: bool = False
    schedules: int = 0


class FoundStage(NamedTuple):
    """A stage that was recorded at a position, with the parts that a change reaches: questions and suffixes.

    If a change reaches the prefix, it reaches all suffixes, unless the prefix still leaves the same state: then only
    the suffixes in ``own`` count, which it reaches directly. ``stale`` is true if any of the code has changed.
    """

    position: str
    recorded: RecordedStage
    asked: tuple[Asked, ...] = ()
    reached: tuple[int, ...] = ()
    own: tuple[int, ...] | None = None
    stale: bool = False

    @property
    def next_position(self) -> str:
        """The position after this stage."""
        return next_position(self.position, (each.answer for each in self.recorded.asked))


class Comparisons:
    """Looks up tests and stages that were compared, and collects new ones; `save` writes them to the store."""

    def __init__(self, memory: Memory, options: DiffOptions, old: Version, new: Version) -> None:
        self._memory = memory
        self._prints: dict[Side, Fingerprints] = {
            "old": Fingerprints(options.subject, old),
            "new": Fingerprints(options.subject, new),
        }
        self._how = {
            "command": "diff", "gil": options.model == "gil", "filter": options.filter, "hook": files_key(options.hook),
            "allow": sorted(options.allow), "timed": options.max_tests is None,
        }  # fmt: skip
        # A hash of the state that the current tests' prefix leaves; empty if the prefix's code is in the key instead.
        self.left = ""
        self._behind: dict[Test, str] = {}  # the same for tests that are checked later
        self._keys: dict[tuple[Test, View], str] = {}  # the keys of tests since the last `save`
        self._new: dict[str, dict[str, Any]] = {}

    def find(self, test: Test, view: View) -> Compared | None:
        """Return the result of a test, if it is known."""
        content = self._memory.explored(self._key(test, view))
        try:
            if content is None:
                return None
            filtered, repeated, inconclusive = (
                bool(content[name]) for name in ("filtered", "repeated", "inconclusive")
            )
            return Compared(filtered, repeated, inconclusive, int(content["schedules"]))
        except (KeyError, TypeError, ValueError, OverflowError):
            return None

    def keep(self, test: Test, view: View, compared: Compared) -> None:
        """Store a test that showed no difference."""
        self._new[self._key(test, view)] = compared._asdict()

    def wait(self, test: Test) -> None:
        """Remember the state that the prefix of a test leaves, because the test is compared later."""
        self._behind[test] = self.left

    def save(self) -> None:
        """Write what was collected to the store."""
        self._memory.keep_tests(self._new)
        self._new, self._keys = {}, {}

    # -- stages -----------------------------------------------------------------------------------------------------

    def stage(self, position: str, view: View) -> FoundStage | None:
        """Return the stage recorded at a position, or None."""
        content = self._memory.explored(self._stage_key(position, view))
        known = None if content is None else RecordedStage.from_json(content)
        try:
            if content is None or known is None:
                return None
            codes = {side: dict(content["parts"][side]) for side in self._prints}
        except (LookupError, TypeError, ValueError):
            return None
        changed = Changed(
            part for side, prints in self._prints.items() for part, code in codes[side].items()
            if prints.part(part) != code
        )  # fmt: skip
        if not changed:
            return FoundStage(position, known)
        stage, numbers = known.stage, range(len(known.rows))
        asked = reached_by(changed, known.asked)
        reached = tuple(number for number in numbers if changed.reaches(stage.test((number,))))
        own = None
        if known.left and not changed.everything and changed.reaches(Test(stage.imports, stage.prefix, ())):
            calls = [Test(each.imports, (), ((each.call,),)) for each in stage.suffixes]
            own = tuple(number for number in numbers if changed.reaches(calls[number]))
        return FoundStage(position, known, asked, reached, own, stale=True)

    def keep_stage(self, position: str, view: View, recorded: RecordedStage) -> str:
        """Record a stage; return the position after it."""
        content = recorded.as_json()
        if content is not None:
            parts = sorted({part for test in recorded.tests() for part in parts_of(test)})
            content["parts"] = {
                side: {part: prints.part(part) for part in parts} for side, prints in self._prints.items()
            }
            self._new[self._stage_key(position, view)] = content
        return next_position(position, (each.answer for each in recorded.asked))

    def _stage_key(self, position: str, view: View) -> str:
        how = {**self._how, "view": view.as_json()}
        return recording_key("stage", position, json.dumps(how, sort_keys=True))

    # -- tests ------------------------------------------------------------------------------------------------------

    def _key(self, test: Test, view: View) -> str:
        known = self._keys.get((test, view))
        if known is None:
            left = self._left_for(test)
            options = {**self._how, "view": view.as_json(), "left": left}
            parts = _reachable(test, view, left)
            code = {f"{side} {part}": prints.part(part) for side, prints in self._prints.items() for part in parts}
            known = self._keys[test, view] = unit_key(test, options, code)
        return known

    def _left_for(self, test: Test) -> str:
        return self._behind.get(test, self.left)

    # -- one version alone ------------------------------------------------------------------------------------------

    def side(self, test: Test, view: View) -> dict[Side, ExploredSide]:
        """Return what is known to be all that a test shows on one version; empty if neither version was explored."""
        for side in self._prints:
            content = self._memory.explored(self._side_key(test, view, side))
            known = None if content is None else ExploredSide.from_json(content)
            if known is not None:
                return {side: known}
        return {}

    def keep_side(self, test: Test, view: View, side: Side, explored: ExploredSide) -> None:
        """Store all outcomes of a test on one version."""
        self._new[self._side_key(test, view, side)] = explored.as_json()

    def _side_key(self, test: Test, view: View, side: Side) -> str:
        # Without the version's name: what is new today is old tomorrow.
        left = self._left_for(test)
        mine = left.partition(" ")[0 if side == "old" else 2]
        options = {**self._how, "view": view.as_json(), "left": mine, "explored": "one version"}
        code = {part: self._prints[side].part(part) for part in _reachable(test, view, left)}
        return unit_key(test, options, code)


def _reachable(test: Test, view: View, left: str) -> list[str]:
    """Return the code that a test, and the probes after it, can reach; ``left`` stands for what the prefix reaches."""
    prefix = () if left else test.prefix
    return parts_of(Test(test.imports, prefix, (*test.suffixes, view.probes)))
