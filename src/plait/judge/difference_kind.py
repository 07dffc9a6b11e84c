"""In what way an outcome of one version is not one of the other's."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from plait.judge.difference import Difference, Explored
from plait.judge.difference_outcome import Outcome
from plait.run.engine import FINISHED_RUN
from plait.subject.change import Side

Kind = tuple[str, ...]
_ORDER = ("deadlock", "hang", "raised", "returned", "objects", "state", "answers", "combination", "passing")


def kind_of(outcome: Outcome, others: Collection[Outcome]) -> Kind:
    """What is new about an outcome: ``deadlock``, ``raised`` with the exception, ``returned``, ``state``...

    ``combination``: every result by itself is known, but not all of them together. ``objects``: they are all known,
    but come from two objects where they came from one, or the other way round.
    """
    if outcome.status != FINISHED_RUN:
        return (outcome.status,)
    position = odd_call(outcome, others)
    if position is not None:
        result = outcome.results[position]
        return ("raised", result[1]) if result[0] == "raised" else ("returned",)
    if all(other.results != outcome.results for other in others):
        return ("combination",)
    if all((other.results, other.objects) != (outcome.results, outcome.objects) for other in others):
        return ("objects",)
    if all(other.answers != outcome.answers for other in others):
        return ("answers",)
    if all(other.state != outcome.state for other in others):
        return ("state",)
    return ("passing",) if outcome.exits else ("combination",)


def odd_call(outcome: Outcome, others: Collection[Outcome]) -> int | None:
    """The first call whose result no other outcome has at its place, exceptions before values."""
    odd = [
        position
        for position, result in enumerate(outcome.results)
        if all(other.results[position] != result for other in others)
    ]
    return min(odd, key=lambda position: (outcome.results[position][0] != "raised", position), default=None)


def rank(kind: Kind) -> tuple[int, Kind]:
    """What users must know first comes first."""
    return (_ORDER.index(kind[0]) if kind[0] in _ORDER else len(_ORDER), kind)


def showing(difference: Difference, old: Explored, new: Explored) -> tuple[Side, Outcome, Kind]:
    """The outcome to report: a new one if there is any, the gravest kind, the fewest preemptions."""
    if difference.only_new:
        return ("new", *_gravest(difference.only_new, old, new))
    return ("old", *_gravest(difference.only_old, new, old))


def _gravest(outcomes: Sequence[Outcome], others: Explored, mine: Explored) -> tuple[Outcome, Kind]:
    kinds = [(kind_of(each, others.outcomes), each) for each in outcomes]
    kind, outcome = min(kinds, key=lambda pair: (rank(pair[0]), mine.outcomes[pair[1]].preemptions))
    return outcome, kind
