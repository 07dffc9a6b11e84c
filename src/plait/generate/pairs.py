"""The pairs of methods of a subject: tried, covered, and which to try next (CovCon, sections IV-B and IV-C)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plait.model.test import Test


Pair = tuple[str, str]
"""Two method names in sorted order; the order of a pair means nothing."""


def score(tried: int, covered: int) -> int:
    """Prioritisation score of Definition 2; pairs with a low score come first."""
    if tried == 0:
        return 0
    return max(abs(tried - covered), 1) * max(tried, 1)


def pair(first: str, second: str) -> Pair:
    """Return the pair of two methods."""
    return (first, second) if first <= second else (second, first)


@dataclass(slots=True)
class PairRecord:
    """The counts of one pair: R(p), C(p), and the tests that were made for it."""

    tried: int = 0
    covered: int = 0
    tests: int = 0

    @property
    def score(self) -> int:
        """Definition 2 applied to the counts."""
        return score(self.tried, self.covered)


class PairTable:
    """The set P of concurrent method pairs with the maps C and R (section IV-B)."""

    def __init__(self, methods: Iterable[str], *, not_parallel: Iterable[Pair] = ()) -> None:
        self.methods = tuple(methods)
        forbidden = {pair(*each) for each in not_parallel}
        every = combinations_with_replacement(sorted(self.methods), 2)
        self.records: dict[Pair, PairRecord] = {each: PairRecord() for each in every if each not in forbidden}
        self.elsewhere: dict[Pair, int] = {}  # covered counts of pairs that are another table's to try

    def share(self, part: int, parts: int) -> None:
        """Keep one of so many parts of the pairs; those of the others are counted where they happen to be covered.

        A part has all pairs of certain methods with those behind them: tests of many methods cover blocks of pairs.
        """
        number = {name: at for at, name in enumerate(sorted(self.methods))}
        kept = {each: record for each, record in self.records.items() if number[each[0]] % parts == part}
        self.elsewhere = {each: 0 for each in self.records if each not in kept}
        self.records = kept

    def add_coverage(self, coverage: Mapping[Pair, int]) -> None:
        """Add what Algorithm 1 counted in one execution; methods that are not public do not count."""
        for (first, second), times in coverage.items():
            which = pair(first, second)
            record = self.records.get(which)
            if record is not None:
                record.covered += times
            elif which in self.elsewhere:
                self.elsewhere[which] += times

    def lowest(self, among: Iterable[Pair] | None = None) -> list[Pair]:
        """Return all pairs that share the lowest score."""
        candidates = list(self.records if among is None else among)
        best = min((self.records[each].score for each in candidates), default=0)
        return [each for each in candidates if self.records[each].score == best]

    @property
    def covered(self) -> int:
        """How many pairs have run concurrently at least once."""
        return sum(record.covered > 0 for record in self.records.values())

    def matrix(self) -> list[dict[str, Any]]:
        """Return one row of plain data per pair, for a coverage matrix."""
        others = {each: PairRecord(0, covered) for each, covered in self.elsewhere.items() if covered}
        return [
            {"methods": list(each), "tried": record.tried, "covered": record.covered,
             "tests": record.tests, "score": record.score}
            for each, record in {**self.records, **others}.items()
        ]  # fmt: skip


# -- meetings ----------------------------------------------------------------------------------------------------------
# What a strategy may ask about two methods before it spends a test on them.


class Meetings(Protocol):
    """Knows methods from calls that ran alone. Plain data: it travels with the strategy."""

    def look(self, method: str, alone: Iterable[Test]) -> None:
        """Get to know a method from tests whose only suffix is one call of it."""
        ...

    def knows(self, method: str) -> bool:
        """Return whether the method was looked at."""
        ...

    def may_meet(self, first: str, second: str) -> bool:
        """Return whether calls of the two, at the same time, might do what they do not do one after the other.

        A guess from few calls: False says that none of them could disturb each other.
        """
        ...
