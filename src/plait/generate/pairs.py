"""The pairs of methods of a subject: how often each was tried and covered (CovCon, sections IV-B and IV-C)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plait.model.test import Test


Pair = tuple[str, str]
"""Two method names in sorted order, so that each unordered pair has one representation."""


def score(tried: int, covered: int) -> int:
    """Return the prioritisation score of Definition 2; pairs with a low score come first."""
    if tried == 0:
        return 0
    return max(abs(tried - covered), 1) * max(tried, 1)


def pair(first: str, second: str) -> Pair:
    """Return the pair of two methods."""
    return (first, second) if first <= second else (second, first)


@dataclass(slots=True)
class _PairRecord:
    """The counts of one pair: R(p), C(p), and how many tests were made for it."""

    tried: int = 0
    covered: int = 0
    tests: int = 0

    @property
    def score(self) -> int:
        """The prioritisation score of Definition 2."""
        return score(self.tried, self.covered)


class PairTable:
    """The set P of concurrent method pairs with the maps C and R (section IV-B)."""

    def __init__(self, methods: Iterable[str], *, not_parallel: Iterable[Pair] = ()) -> None:
        self.methods = tuple(methods)
        forbidden = {pair(*each) for each in not_parallel}
        every = combinations_with_replacement(sorted(self.methods), 2)
        self.records: dict[Pair, _PairRecord] = {each: _PairRecord() for each in every if each not in forbidden}
        self.elsewhere: dict[Pair, int] = {}  # covered counts of the pairs that other streams try, see `share`

    def share(self, part: int, parts: int) -> None:
        """Keep only part number ``part`` of ``parts``; of the other pairs only coverage is counted.

        A part has all pairs whose first method belongs to it, so that a test of many methods covers many of its pairs.
        """
        number = {name: at for at, name in enumerate(sorted(self.methods))}
        kept = {each: record for each, record in self.records.items() if number[each[0]] % parts == part}
        self.elsewhere = {each: 0 for each in self.records if each not in kept}
        self.records = kept

    def add_coverage(self, coverage: Mapping[Pair, int]) -> None:
        """Add what Algorithm 1 counted in one execution. Pairs that are not in the table are ignored."""
        for (first, second), times in coverage.items():
            which = pair(first, second)
            record = self.records.get(which)
            if record is not None:
                record.covered += times
            elif which in self.elsewhere:
                self.elsewhere[which] += times

    def lowest(self, among: Iterable[Pair] | None = None) -> list[Pair]:
        """Return all pairs that have the lowest score."""
        candidates = list(self.records if among is None else among)
        best = min((self.records[each].score for each in candidates), default=0)
        return [each for each in candidates if self.records[each].score == best]

    @property
    def covered(self) -> int:
        """How many pairs have run concurrently at least once."""
        return sum(record.covered > 0 for record in self.records.values())

    def matrix(self) -> list[dict[str, Any]]:
        """Return the coverage matrix as plain data, one row per pair."""
        others = {each: _PairRecord(0, covered) for each, covered in self.elsewhere.items() if covered}
        return [
            {"methods": list(each), "tried": record.tried, "covered": record.covered,
             "tests": record.tests, "score": record.score}
            for each, record in {**self.records, **others}.items()
        ]  # fmt: skip


# -- meetings ----------------------------------------------------------------------------------------------------------
# A prediction that a strategy can ask for before it spends a test on two methods.


class Meetings(Protocol):
    """Predicts from calls in a single thread which methods can disturb each other.

    It is plain data, because it is sent to workers as part of the strategy.
    """

    def look(self, method: str, alone: Iterable[Test]) -> None:
        """Run tests whose only suffix is one call of the method, and record what it accesses."""
        ...

    def knows(self, method: str) -> bool:
        """Return whether `look` was called for the method."""
        ...

    def may_meet(self, first: str, second: str) -> bool:
        """Return whether concurrent calls of the two might do something that they do not do one after the other.

        This is a guess from few calls: False means that none of those calls could disturb each other.
        """
        ...
