"""Tests that `plait diff` has compared before without a difference, and the stages it took them from.

A test is known if it was compared in the same way and nothing it can reach has changed, on either version. That it
passed the filter, and what the filter made of it, follows from its traces, and so from the same code. For stages see
`plait.campaign.diff_stages`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from plait.campaign.diff_options import DiffOptions
from plait.campaign.diff_stages import Heard, KnownStage
from plait.campaign.fingerprint import Changed, Fingerprints, parts_of, unit_key
from plait.campaign.keys import around, files_key
from plait.campaign.memory import Memory
from plait.campaign.plan import digest
from plait.judge.difference_outcome import View
from plait.model.test import Test
from plait.report.diff_reproducer import view_as_json
from plait.subject.version import Version


class Compared(NamedTuple):
    """What became of a test: filtered, because it cannot differ, or explored alike; ``repeated``: with known traces."""

    filtered: bool = False
    repeated: bool = False
    inconclusive: bool = False
    schedules: int = 0


def trail_behind(trail: str, heard: Iterable[Heard]) -> str:
    """Where a stage leads to."""
    return digest(trail, *(each.answer for each in heard))


class Followed(NamedTuple):
    """A stage under a trail, and what of it a change reaches: things heard, suffixes, the prefix.

    If the prefix is reached, so are all suffixes, unless it leaves the same state as before: then ``own`` are those
    that are reached themselves. ``stale`` if some code is not what it was.
    """

    trail: str
    known: KnownStage
    asked: tuple[Heard, ...] = ()
    reached: tuple[int, ...] = ()
    own: tuple[int, ...] | None = None
    stale: bool = False

    @property
    def behind(self) -> str:
        """Where it leads to."""
        return trail_behind(self.trail, self.known.heard)


class Comparisons:
    """Looks tests and stages up, and keeps those that were compared; `save` writes them down."""

    def __init__(self, memory: Memory, options: DiffOptions, old: Version, new: Version) -> None:
        self._memory = memory
        self._prints = {"old": Fingerprints(options.subject, old), "new": Fingerprints(options.subject, new)}
        self._how = {
            "command": "diff", "gil": options.model == "gil", "filter": options.filter, "hook": files_key(options.hook),
            "allow": sorted(options.allow), "timed": options.max_tests is None,
        }  # fmt: skip
        self.left = ""  # a hash of the state that the prefix of the tests at hand leaves; empty if code stands for it
        self._keys: dict[tuple[Test, View], str] = {}  # of the tests since the last `save`
        self._new: dict[str, dict[str, Any]] = {}

    def find(self, test: Test, view: View) -> Compared | None:
        """What is known."""
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
        """Remember a test that showed no difference."""
        self._new[self._key(test, view)] = compared._asdict()

    def save(self) -> None:
        """Write down what is to be remembered."""
        self._memory.keep_tests(self._new)
        self._new, self._keys = {}, {}

    # -- stages -----------------------------------------------------------------------------------------------------

    def stage(self, trail: str, view: View) -> Followed | None:
        """The stage under a trail, if it is known."""
        content = self._memory.explored(self._stage_key(trail, view))
        known = None if content is None else KnownStage.from_json(content)
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
            return Followed(trail, known)
        stage, numbers = known.stage, range(len(known.rows))
        asked = tuple(each for each in known.heard if changed.reaches(each.test))
        reached = tuple(number for number in numbers if changed.reaches(stage.test((number,))))
        own = None
        if known.left and not changed.everything and changed.reaches(Test(stage.imports, stage.prefix, ())):
            calls = [Test(each.imports, (), ((each.call,),)) for each in stage.suffixes]
            own = tuple(number for number in numbers if changed.reaches(calls[number]))
        return Followed(trail, known, asked, reached, own, stale=True)

    def keep_stage(self, trail: str, view: View, known: KnownStage) -> str:
        """Remember a stage; returns the trail behind it."""
        content = known.as_json()
        if content is not None:
            parts = sorted({part for test in known.tests() for part in parts_of(test)})
            content["parts"] = {
                side: {part: prints.part(part) for part in parts} for side, prints in self._prints.items()
            }
            self._new[self._stage_key(trail, view)] = content
        return trail_behind(trail, known.heard)

    def _stage_key(self, trail: str, view: View) -> str:
        how = {**self._how, "view": view_as_json(view)}
        return digest("stage", trail, json.dumps(how, sort_keys=True), around())

    # -- tests ------------------------------------------------------------------------------------------------------

    def _key(self, test: Test, view: View) -> str:
        known = self._keys.get((test, view))
        if known is None:
            options = {**self._how, "view": view_as_json(view), "left": self.left}
            known = self._keys[test, view] = unit_key(test, options, self._code(test, view))
        return known

    def _code(self, test: Test, view: View) -> dict[str, str]:
        """Hashes of all that the test, and the calls that look at its final state, can reach on either version."""
        prefix = () if self.left else test.prefix
        parts = parts_of(Test(test.imports, prefix, (*test.suffixes, view.probes)))
        return {f"{side} {part}": prints.part(part) for side, prints in self._prints.items() for part in parts}
