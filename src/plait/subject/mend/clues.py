"""The clues of a finding about the place of a mend: functions, lines, attributes and locks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from plait.model.finding import AccessStep, Finding

_LOCAL = re.compile(r"\.<locals>.*")
_OF_LOCKS = ("acquire", "find busy", "release")


@dataclass(frozen=True, slots=True)
class Clue:
    """A line of a function, in a file named from the root of the version."""

    file: str
    function: str
    line: int


@dataclass(frozen=True, slots=True)
class Clues:
    """The conflict of a finding. All parts are optional hints."""

    kind: str
    entries: tuple[str, ...] = ()  # the methods that its test calls, with their class
    race: tuple[Clue, ...] = ()  # the two accesses
    gap: tuple[Clue, ...] = ()  # first and last line of the interrupted stretch
    through: tuple[Clue, ...] = ()  # all other places of the interleaving, the latest first
    attributes: tuple[str, ...] = ()  # plain names of the racing attributes
    locks: tuple[str, ...] = ()  # plain names of locks that a thread held
    itself: bool = False  # a thread waits for a lock that it holds

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are concerned, the likeliest first."""
        spots = (*self.gap, *self.race, *self.through)
        return tuple(dict.fromkeys(each.file for each in spots))

    def functions(self, file: str, spots: Iterable[Clue] | None = None) -> list[str]:
        """Return the functions of a file that race, the interrupted one first."""
        chosen = (*self.gap, *self.race) if spots is None else spots
        return list(dict.fromkeys(each.function for each in chosen if each.file == file))

    def lines(self, file: str, function: str) -> list[int]:
        """Return the lines of a function that must be atomic."""
        gap = [each.line for each in self.gap if (each.file, each.function) == (file, function)]
        race = [each.line for each in self.race if (each.file, each.function) == (file, function)]
        return sorted({*gap, *race})


def clues_of(finding: Finding) -> Clues:
    """Return the clues of a finding, which is untrusted data."""
    race = tuple(_spot(step) for step in finding.race or ())
    gap: tuple[Clue, ...] = ()
    if finding.gap is not None:
        file, function = finding.gap.file, _function(finding.gap.function)
        gap = (Clue(file, function, finding.gap.line), Clue(file, function, finding.gap.end))
    steps = [*(finding.race or ()), *finding.interleaving]
    taken = [_thing(step) for step in steps if step.verb in _OF_LOCKS]
    held = [name for step in steps for name in step.locks]
    guard = [] if finding.guard is None else [finding.guard.lock]
    attributes = [_thing(step) for step in finding.race or finding.interleaving if step.verb not in _OF_LOCKS]
    if finding.guard is not None:
        attributes.append(finding.guard.field)
    return Clues(
        finding.kind, tuple(finding.methods), race, gap,
        tuple(dict.fromkeys(_spot(step) for step in reversed(finding.interleaving))),
        tuple(dict.fromkeys(filter(None, map(_last, attributes)))),
        tuple(dict.fromkeys(filter(None, map(_last, (*guard, *held, *taken))))),
        finding.waits_for_itself,
    )  # fmt: skip


def _spot(step: AccessStep) -> Clue:
    return Clue(step.own_file, _function(step.function), step.line)


def _function(name: str) -> str:
    """Return the outermost function around a nested one: locks are taken there."""
    return _LOCAL.sub("", name)


def _thing(step: AccessStep) -> str:
    """Return the name of the location of an access, without keys and without the name of its owner."""
    return step.attribute.rpartition(" ")[2]


def _last(name: str) -> str:
    return name.partition("[")[0].rpartition(".")[2]
