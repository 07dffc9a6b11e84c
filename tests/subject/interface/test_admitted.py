"""Which simple values annotations admit: minimised tests stay within them."""

from typing import Any, NewType, Protocol, TypeVar

import pytest

from plait.judge.minimise.tests import SIMPLE, smaller
from plait.model.test import Call, Test
from plait.subject.interface.admitted import admits, admitted_values, call_key

T = TypeVar("T")
Word = TypeVar("Word", bound=str)
Key = str | int
Ident = NewType("Ident", int)


class Customer:
    def __init__(self, name: str) -> None:
        self.name = name


class Loader(Protocol):
    def load(self) -> str: ...


class Cart:
    def __init__(self, customer: Customer, size: int = 3) -> None:
        self.customer, self.size = customer, size

    def add(self, sku: str, note: str | None = None, *more: int, **rest: float) -> None: ...

    def put(self, sku, price: float) -> None: ...

    def __setitem__(self, key: Key, value: Any) -> None: ...


NUMBERS, TEXT, NOTHING, FLAGS = ["0", "1"], ["'a'"], ["None"], ["True", "False"]


@pytest.mark.parametrize(("annotation", "values"), [
    ("int", NUMBERS), ("float", NUMBERS), ("str", TEXT), ("'str'", TEXT), ("bool", FLAGS), ("None", NOTHING),
    ("Customer", []), ("Loader", []), ("list[Customer]", ["[]"]), ("dict[str, int]", ["{}"]),
    ("Customer | None", NOTHING), ("Optional[str]", [*TEXT, *NOTHING]), ("Key", [*NUMBERS, *TEXT]),
    ("Ident", NUMBERS), ("Word", TEXT), ("T", list(SIMPLE)), ("Any", list(SIMPLE)), ("object", list(SIMPLE)),
    ("Literal['a', 'b']", TEXT), ("Iterable[int]", ["()", "[]", "{}"]), ("Callable[[], int]", []), ("Nowhere", []),
    ("Hashable", [*NUMBERS, *TEXT, *NOTHING, *FLAGS, "()"]), ("Sequence", ["'a'", "()", "[]"]), ("1 +", []),
])  # fmt: skip
def test_what_an_annotation_admits(annotation, values):
    assert [text for text in SIMPLE if admits(annotation, text, globals())] == values


def test_a_smaller_test_stays_within_the_annotations():
    calls = [
        Call("Cart", "Cart({args})", args=("Customer('Ann')", "7"), result="x"),
        Call("add", "{receiver}.add({args})", args=("'long'", "'n'", "5"), kwargs=(("weight", "2.5"),)),
        Call("put", "{receiver}.put({args})", args=("(1, 2)", "2.5")),
        Call("__setitem__", "{receiver}[{0}] = {1}", args=("'long'", "'b'")),
    ]
    stated = admitted_values(calls, {"Cart": Cart, "x": Cart(Customer("a"))}, SIMPLE)
    built, added, put, stored = (stated[call_key(call)] for call in calls)
    assert built == {"0": [], "1": NUMBERS}
    assert added == {"0": TEXT, "1": [*TEXT, *NOTHING], "2": NUMBERS, "weight": NUMBERS}
    assert put == {"1": NUMBERS}
    assert stored == {"0": [*NUMBERS, *TEXT], "1": list(SIMPLE)}
    test = Test((), (calls[0],), ((calls[1],), (calls[2],)))
    lines = {line for each in smaller(test, stated) for line in each.as_lines()["prefix"]}
    assert "x = Cart(0, 7)" in {line for each in smaller(test) for line in each.as_lines()["prefix"]}
    assert lines == {"x = Cart(Customer('Ann'), 7)", "x = Cart(Customer('Ann'), 0)", "x = Cart(Customer('Ann'), 1)"}


def test_what_cannot_be_resolved_is_left_unstated():
    calls = [Call("gone", "{receiver}.gone({args})", args=("1",)), Call("f", "nowhere.f({args})", args=("1",))]
    assert admitted_values(calls, {"x": Cart(Customer("a"))}, SIMPLE) == {}
