"""Values in a report: plain ones as they print, within bounds, and no code under test runs."""

import collections
import datetime as dt
import enum
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import NamedTuple
from uuid import UUID

import pytest

from plait.observe.places import shown


class Colour(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Money:
    amount: Decimal
    currency: str = "EUR"


@dataclass(slots=True)
class Slotted:
    amount: int


class Wild(int, enum.ReprEnum):
    ONE = 1


class Nasty:
    """Whatever it is asked is code under test."""

    def __getattribute__(self, name):
        raise SystemError("ran")

    __repr__ = __str__ = __hash__ = __eq__ = __len__ = __iter__ = __getattribute__


class NastyText(str):
    __slots__ = ()

    def __repr__(self):
        raise SystemError("ran")

    __str__ = __len__ = __getitem__ = __repr__


class NastyNumber(int):
    def __repr__(self):
        raise SystemError("ran")

    __str__ = bit_length = __repr__


class NastyDict(dict):
    def items(self):
        raise SystemError("ran")

    __len__ = __iter__ = items


@dataclass
class NastyData:
    amount: int

    def __getattribute__(self, name):
        raise SystemError("ran")

    __repr__ = __getattribute__


class NastyZone(dt.tzinfo):
    def __repr__(self):
        raise SystemError("ran")

    utcoffset = dst = __repr__


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("1.10"), "Decimal('1.10')"), (Fraction(1, 3), "Fraction(1, 3)"), (Colour.RED, "Colour.RED"),
        (dt.date(2026, 1, 2), "datetime.date(2026, 1, 2)"), (dt.timedelta(seconds=3), "datetime.timedelta(seconds=3)"),
        (PurePosixPath("a/b"), "PurePosixPath('a/b')"), (UUID(int=1), f"UUID('{UUID(int=1)}')"),
        (Money(Decimal(5)), "Money(amount=Decimal('5'), currency='EUR')"), (Slotted(3), "Slotted(amount=3)"),
        (Point(1, 2), "Point(x=1, y=2)"), (collections.deque([1, 2]), "deque([1, 2])"), (set(), "set()"),
        (frozenset({1}), "frozenset({1})"), ((1,), "(1,)"), ([], "[]"), ({"a": [1]}, "{'a': [1]}"),
        (collections.Counter("a"), "Counter({'a': 1})"), (collections.OrderedDict(a=1), "OrderedDict({'a': 1})"),
        (KeyError("a"), "KeyError('a')"), (Wild.ONE, "Wild.ONE"), (True, "True"), (None, "None"), (b"a", "b'a'"),
        ([0] * 9, "<list of 9>"), (object(), "<object>"), (2**5000, "<int of 5001 bits>"),
    ],
)  # fmt: skip
def test_plain_values_are_shown_as_they_print(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (Nasty, "<Nasty>"), (lambda: NastyText("abc"), "'abc'"), (lambda: NastyNumber(7), "7"),
        (lambda: NastyDict(a=1), "NastyDict({'a': 1})"), (lambda: NastyData(3), "NastyData(amount=3)"),
        (lambda: [Nasty()], "[<Nasty>]"), (lambda: dt.datetime(2026, 1, 2, tzinfo=NastyZone()), "<datetime>"),
    ],
)  # fmt: skip
def test_no_code_under_test_runs(make, text):
    assert shown(make()) == text


@pytest.mark.parametrize("value", ["a" * 10**6, b"a" * 10**6, ["b" * 50] * 8, {str(n): "c" * 30 for n in range(8)}])
def test_text_is_bounded(value):
    assert len(shown(value)) <= 60


def test_what_holds_itself_comes_to_an_end():
    value = []
    value.append(value)
    assert shown(value) == "[[[<list of 1>]]]"
