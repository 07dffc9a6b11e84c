"""Plans what an audit checks, in which order, and for how long.

Shares of the budget are fixed before the first check, so that a restarted audit finds the checks of an interrupted one
in the store. Shares change only if checks take longer than planned: then later checks keep only their minimum. Time
left at the end goes to checks that had too little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.config import Config
from plait.judge.audit import SILENT, Audited
from plait.subject.contract import IMMUTABLE
from plait.subject.name import Subject
from plait.subject.package.claims import PROMISED, claim_of
from plait.subject.package.facts import ClassFacts, ModuleFacts, whole_class
from plait.subject.package.suspects import class_suspects, module_suspects

if TYPE_CHECKING:
    from plait.subject.package.listing import Listing, PublicClass, PublicFunction

LEAST = 4.0
"""Seconds that a check should have: to start its processes, run each method alone, and try some tests."""
SHORTEST = 2.0
"""Seconds for each check of a package with so many classes that there is no time for more; less would be useless."""
ENDLESS = float("inf")
_HIGHEST = 24.0  # higher scores count as this one
_METHODS = 8  # so many methods of a class weigh as much as a function


@dataclass(slots=True)
class Planned:
    """One check of a class, or of all public functions of a module. ``seconds`` is 0 if there is no time for it."""

    subject: Subject
    audited: list[Audited]
    facts: ClassFacts | None
    seconds: float = 0.0

    @property
    def score(self) -> float:
        """The sum of the suspects' scores: how likely a defect is by the source."""
        return sum(each.score for each in self.audited)

    @property
    def weight(self) -> float:
        """The check's weight in sharing the budget: by suspicion, and by how much there is to try."""
        methods = 0 if self.facts is None else sum(not name.startswith("_") for name in self.facts.functions)
        return len(self.audited) + methods / _METHODS + min(self.score, _HIGHEST)


@dataclass(slots=True)
class Plan:
    """The checks of an audit, the most suspicious first; ``silent`` are classes that threads cannot affect."""

    steps: list[Planned]
    silent: list[Audited] = field(default_factory=list)
    _least: float = LEAST
    _planned: float = 0.0  # seconds that were planned for the checks that have ended; and those that they took
    _took: float = 0.0
    _done: int = 0

    def share(self, seconds: float | None) -> None:
        """Share the budget: a minimum for each check, and the rest by weight. None means no limit."""
        if seconds is None:
            for step in self.steps:
                step.seconds = ENDLESS
            return
        self._least = max(SHORTEST, min(LEAST, seconds / max(len(self.steps), 1)))
        affordable = self.steps[: int(seconds // self._least)]
        left = seconds - self._least * len(affordable)
        weights = [step.weight for step in affordable]
        for step, weight in zip(affordable, weights, strict=True):
            step.seconds = round(self._least + left * weight / sum(weights), 1)

    def fit(self, step: Planned, left: float, *, behind: int) -> None:
        """Lower the share of a check so that the ``behind`` checks after it keep their minimum; it keeps its own.

        Starting processes and ending running tests take time in addition to a share. The mean of the checks so far is
        used as an estimate.
        """
        if step.seconds != ENDLESS:
            beyond = max(0.0, self._took - self._planned) / max(self._done, 1)
            reserved = (self._least + beyond) * behind
            step.seconds = round(max(self._least, min(step.seconds, left - beyond - reserved)), 1)

    def is_too_late(self, left: float) -> bool:
        """Return whether there is no time for another check."""
        return left < self._least

    def note(self, step: Planned, took: float) -> None:
        """Record how long a check has taken."""
        if step.seconds != ENDLESS:
            self._planned += step.seconds
            self._took += took
            self._done += 1

    def rest(self, ahead: Sequence[Planned], left: float) -> float:
        """Return an estimate of the seconds that the checks ahead will take; often they need less than their share."""
        asked = sum(each.seconds for each in ahead)
        if asked == ENDLESS:
            return ENDLESS
        pace = self._took / self._planned if self._planned else 1.0
        return min(left, asked * pace)

    def wants(self, elapsed: float) -> list[str]:
        """Return a note on the budget that would probably be enough, if some checks had too little time."""
        starved = [step for step in self.starved if step.seconds != ENDLESS]
        if not starved:
            return []
        least = max(LEAST, self._took / self._done if self._done else 0.0)
        minutes = math.ceil((elapsed + least * len(starved)) / 60)
        every = len(self.steps)
        return [f"{len(starved)} of {every} checks had too little time: --budget {minutes}m is probably enough"]

    @property
    def starved(self) -> list[Planned]:
        """The checks that ended without a verdict for lack of time."""
        return [step for step in self.steps if any(each.wants_time for each in step.audited)]

    def second_share(self, left: float) -> list[Planned]:
        """Return the checks that are worth a second try in the remaining time, with new shares."""
        if left == ENDLESS:
            return []
        again = self.starved[: int(left // (2 * self._least))]
        for step in again:
            step.seconds = round(left / len(again), 1)
        return again


def plan_of(listing: Listing, facts: Mapping[str, ModuleFacts], config: Config) -> Plan:
    """Return the checks of a package; their seconds are not set yet."""
    found = Plan([])
    modules = {module.name: module for module in listing.modules}
    for public in listing.classes:
        made = Audited(public.name, "class", _shown(public, listing), public.line)
        known = whole_class(facts, public.module, public.qualname)
        made.claim = claim_of(modules[public.module], public.qualname, known, modules)
        if config.subject(public.name).hints.contract:
            made.claim = PROMISED
        if public.silent and not (known is not None and known.changes_itself):
            made.verdict, made.contract = SILENT, IMMUTABLE
            made.reason = f"{public.silent}, which has no state that threads could share"
            found.silent.append(made)
            continue
        # Suspects in inherited code are reported for the class that defines it.
        own = facts[public.module].classes.get(public.qualname)
        made.suspects = class_suspects(public.module, own) if own is not None else []
        found.steps.append(Planned(Subject(public.module, public.qualname, None), [made], known))
    for module in dict.fromkeys(each.module for each in listing.functions):
        suspects = module_suspects(facts[module])
        made_of = []
        for function in (each for each in listing.functions if each.module == module):
            made = Audited(f"{module}:{function.name}", "function", _shown(function, listing), function.line)
            made.suspects = [each for each in suspects if function.name in each.methods]
            made_of.append(made)
        found.steps.append(Planned(Subject(module, ""), made_of, None))
    found.steps.sort(key=lambda each: (-each.score, str(each.subject)))
    return found


def _shown(public: PublicClass | PublicFunction, listing: Listing) -> str:
    return public.file.relative_to(listing.root).as_posix()
