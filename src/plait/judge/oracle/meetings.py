"""Finds out from runs of single calls which methods can interleave."""

from __future__ import annotations

from collections.abc import Iterable

from plait.explore.runner import execute
from plait.judge.oracle.sequential import SequentialRunner
from plait.model.test import Test
from plait.observe.places import PLACES
from plait.observe.sections import Conduct, SectionRecorder, may_interleave
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed


class SeenAlone:
    """Implements `plait.generate.pairs.Meetings` over the code under test."""

    def __init__(self) -> None:
        self._conducts: dict[str, set[Conduct] | None] = {}  # None: unknown

    def look(self, method: str, alone: Iterable[Test]) -> None:
        """Run each test once."""
        found = []
        for test in alone:
            found.append(conduct_of(test))
            if SequentialRunner.listener is not None:
                SequentialRunner.listener(test, found[-1])
        known = {each for each in found if each is not None}
        self._conducts[method] = None if not found or None in found else known

    def knows(self, method: str) -> bool:
        """Return whether the method has been run."""
        return method in self._conducts

    def may_meet(self, first: str, second: str) -> bool:
        """Return whether calls of two methods may interleave, by the calls that were run; True if that is unknown."""
        mine, theirs = self._conducts.get(first), self._conducts.get(second)
        if mine is None or theirs is None:
            return True
        return any(may_interleave(one, two) for one in mine for two in theirs)


def conduct_of(test: Test) -> Conduct | None:
    """Return what the one call outside of the prefix does, by sections; None if that cannot be found out."""
    announce = SequentialRunner.announce
    if announce is not None:
        announce(test)
    found: list[Conduct | None] = []
    try:
        bed = Testbed(test, PLACES)
        recorder = SectionRecorder(lambda: bed.values, str)
        ENGINE.recorder = recorder
        execute(bed.prepare, finish=lambda: found.append(recorder.conduct(ENGINE)))
    except Exception:  # objects under test may do anything when they are inspected: then nothing is known
        return None
    finally:
        ENGINE.recorder = None
    return found[0] if found else None
