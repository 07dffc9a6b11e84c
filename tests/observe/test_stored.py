"""What objects store is read without running any code of theirs."""

import pytest

from plait.observe.footprint import AccessRecorder
from plait.observe.stored import stored_names, stored_values
from plait.observe.trace import value_text


class Base:
    __slots__ = ("filled", "empty")
    shared = [1]

    def __init__(self):
        self.filled = 1


class Lazy(Base):
    def __init__(self):
        super().__init__()
        self.held = 2
        self.shared = self.shared

    @property
    def made(self):
        raise AssertionError("observed by running it")

    @made.setter
    def made(self, value):
        self.remade = value


def test_names_that_are_stored_anywhere_in_the_class():
    assert stored_names(Lazy) == {"filled", "empty", "held", "shared", "remade"}
    assert stored_names(type("Another", (Lazy,), {})) == stored_names(Lazy)


@pytest.mark.parametrize(
    ("name", "expected"), [("filled", [1]), ("empty", []), ("held", [2]), ("made", []), ("nothing", [])]
)
def test_values_that_are_stored(name, expected):
    assert stored_values(Lazy(), name) == expected


def test_what_a_class_stores_for_its_objects():
    assert stored_values(Base(), "shared") == [[1]]


class Pretender:
    """Says that it is a text, and cannot be shown as one."""

    __class__ = str

    def __str__(self):
        raise AssertionError("asked for its text")

    __repr__ = __format__ = __str__


def test_an_object_that_pretends_to_be_a_text_is_not_asked_for_it():
    assert isinstance(Pretender(), str)
    assert value_text(Pretender()) == "Pretender"
    assert AccessRecorder(dict, str)._name(Pretender()) is None
